/** The list of a module's versions: what every registry of the protocol answers, with `deprecation` where it knows some. */
import type { RegistryModule } from '../installed/registry-source.js';
import { isObject, member, parseAnswer } from './json.js';
import { AskError, type Credential } from './problem.js';
import type { Sender } from './send.js';
import { parseVersionStatus, type VersionStatusResponse } from './version-status-response.js';

/** A thousand versions with the requirements of each take two; hostile lists are as long as they like. */
const MAX_BYTES = 16 * 1024 * 1024;

/** @returns finds a version's status; it throws `not_found` for one that is not listed. @throws AskError */
export async function askVersionList(
  send: Sender,
  modulesUrl: URL,
  credential: Credential | undefined,
  { namespace, name, provider }: RegistryModule,
): Promise<(version: string) => VersionStatusResponse> {
  const path = [namespace, name, provider].map(encodeURIComponent).join('/');
  const { status, text } = await send({
    url: new URL(`${path}/versions`, modulesUrl),
    credential,
    maxBytes: MAX_BYTES,
  });
  if (status === 401 || status === 403)
    throw new AskError('unauthorized', `access denied with status ${status}; check the token`);
  if (status === 404) throw new AskError('not_found', 'module not found, or not visible to this token');
  if (status !== 200) throw new AskError('answer_invalid', `unexpected status ${status}`);
  const modules = member(parseAnswer(text), 'modules');
  const versions = Array.isArray(modules) ? member(modules[0], 'versions') : undefined;
  if (!Array.isArray(versions)) throw new AskError('answer_invalid', 'response has an unknown format');
  return (version) => {
    const entry: unknown = versions.find((each: unknown) => isObject(each) && member(each, 'version') === version);
    if (entry === undefined) throw new AskError('not_found', 'version not listed by the registry');
    return parseVersionStatus(entry);
  };
}
