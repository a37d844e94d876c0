/** What we say beside reason and link (REG-6): why in a word, what to use instead, until when. Raw text: escape it. */
import { formatDay } from '../input/instant.js';
import type { DeprecationExtras, ReasonClass } from '../version-status.js';

const CLASSES: Readonly<Record<ReasonClass, string | undefined>> = {
  legacy: 'It is no longer maintained.',
  'critical-bugs': 'It has critical bugs.',
  security: 'It has a security problem.',
  renamed: 'It was renamed.',
  other: undefined,
};

/** Sentences, in the order in which they are read; none where nothing was given. */
export function adviceOf({ reasonClass, replacement, sunsetAt }: Partial<DeprecationExtras>): readonly string[] {
  const sentences: string[] = [];
  const why = reasonClass ? CLASSES[reasonClass] : undefined;
  if (why !== undefined) sentences.push(why);
  if (replacement) {
    const { module, version } = replacement;
    const wanted = [...(module === null ? [] : [module]), ...(version === null ? [] : [`version ${version}`])];
    if (wanted.length > 0) sentences.push(`Use ${wanted.join(', ')} instead.`);
  }
  if (sunsetAt !== undefined && sunsetAt !== null)
    sentences.push(`It should not be used from ${formatDay(sunsetAt)} on.`);
  return sentences;
}
