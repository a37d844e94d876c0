/** The list of a module's versions: what every registry of the protocol answers, with `deprecation` where it knows some. */
import type { RegistryModule } from '../installed/registry-source.js';
import { isObject, member, parseAnswer } from './json.js';
import { AskError } from './problem.js';
import type { Sender } from './send.js';
import { type VersionWord, versionWord } from './version-word.js';

/** A thousand versions with the requirements of each take two; hostile lists are as long as they like. */
const MAX_BYTES = 16 * 1024 * 1024;

/** @returns finds a version's word; it throws `not_found` for one that is not listed. @throws AskError */
export async function askVersionList(
  send: Sender,
  modulesUrl: URL,
  token: string | undefined,
  { namespace, name, provider }: RegistryModule,
): Promise<(version: string) => VersionWord> {
  const path = [namespace, name, provider].map(encodeURIComponent).join('/');
  const { status, text } = await send({ url: new URL(`${path}/versions`, modulesUrl), token, maxBytes: MAX_BYTES });
  if (status === 401 || status === 403) throw new AskError('unauthorized', `it refused with status ${status}`);
  if (status === 404) throw new AskError('not_found', 'it does not know the module, or does not show it to this token');
  if (status !== 200) throw new AskError('answer_invalid', `it answered with status ${status}`);
  const modules = member(parseAnswer(text), 'modules');
  const versions = Array.isArray(modules) ? member(modules[0], 'versions') : undefined;
  if (!Array.isArray(versions)) throw new AskError('answer_invalid', 'its answer is not of the known form');
  return (version) => {
    const entry: unknown = versions.find((each: unknown) => isObject(each) && member(each, 'version') === version);
    if (entry === undefined) throw new AskError('not_found', 'it does not list the version');
    return versionWord(entry);
  };
}
