/** The notices on the page of a module and of a version (PAGE-3): plain text, to be escaped when rendered. */
import { formatDay } from '../input/instant.js';
import type { VersionList } from '../results.js';
import type { DeprecationExtras, ReasonClass, VersionStatus } from '../version-status.js';

/** A notice about a module as a whole: its latest version is deprecated, or all versions are. */
export interface ModuleNotice {
  readonly kind: 'latest-deprecated' | 'all-deprecated' | 'all-revoked';
  readonly text: string;
  /** The newest version that is neither deprecated nor revoked, where there is one. */
  readonly suggestion: string | undefined;
}

/** Undefined where the latest version is active. */
export function moduleNotice({ latest, latestActive, versions }: VersionList): ModuleNotice | undefined {
  if (latest.status.state === 'active') return undefined;
  const suggestion = latestActive?.summary.version;
  if (suggestion !== undefined) {
    const text =
      `The latest version, ${latest.summary.version}, is deprecated. ` +
      `The newest version that is not deprecated is ${suggestion}.`;
    return { kind: 'latest-deprecated', text, suggestion };
  }
  if (versions.every(({ status }) => status.state === 'revoked')) {
    return { kind: 'all-revoked', text: 'All versions of this module are revoked.', suggestion };
  }
  return { kind: 'all-deprecated', text: 'All versions of this module are deprecated.', suggestion };
}

/** The banner of one version. Reason and link are as they were written. */
export interface VersionBanner {
  readonly state: 'deprecated' | 'revoked';
  readonly title: string;
  readonly reason: string | null;
  readonly link: string | null;
  readonly advice: readonly string[];
}

/** Banners in the order in which they are read: a revoked version has two. None for an active version. */
export function versionBanners({ address, deprecation, revocation }: VersionStatus): readonly VersionBanner[] {
  const title = (state: string) => `Version ${address.version} is ${state}`;
  const banners: VersionBanner[] = [];
  if (revocation !== null) {
    const { reason, link } = revocation;
    banners.push({ state: 'revoked', title: title('revoked'), reason, link, advice: ['It cannot be downloaded.'] });
  }
  if (deprecation !== null) {
    const { reason, link } = deprecation;
    banners.push({ state: 'deprecated', title: title('deprecated'), reason, link, advice: adviceOf(deprecation) });
  }
  return banners;
}

/** What we say beside reason and link (REG-6): why in a word, what to use instead, until when. Raw text: escape it. */
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
