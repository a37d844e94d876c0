/** All versions of a registry in one request, by the `statuses` endpoint of Postern. Other registries do not have it. */
import { MAX_STATUSES, versionId } from '@postern/core-registry/notices';
import type { RegistryVersion } from '../installed/used-versions.js';
import { isObject, member, parseAnswer } from './json.js';
import { AskError, type Credential, isOutage } from './problem.js';
import type { Sender } from './send.js';
import { parseVersionStatus, type VersionStatusResponse } from './version-status-response.js';

/** Reason and link of each, at four bytes a character and escaped, many times over. */
const MAX_BYTES = 16 * 1024 * 1024;

/** How many versions are asked about at once. */
export const BULK_SIZE = MAX_STATUSES;

/**
 * @param versions at most `BULK_SIZE`.
 * @returns one status each, null for a missing version; undefined where the registry does not have the endpoint: then its
 *   version lists are read.
 * @throws AskError where it is down: asking it otherwise would only take longer.
 */
export async function askStatuses(
  send: Sender,
  modulesUrl: URL,
  credential: Credential | undefined,
  versions: readonly RegistryVersion[],
): Promise<readonly (VersionStatusResponse | null)[] | undefined> {
  const ids = versions.map(({ module, version }) => versionId({ ...module, version }));
  try {
    const { status, text } = await send({
      url: new URL('statuses', modulesUrl),
      credential,
      json: { versions: ids },
      maxBytes: MAX_BYTES,
    });
    if (status !== 200) return undefined;
    const statuses = member(parseAnswer(text), 'statuses');
    if (!Array.isArray(statuses) || statuses.length !== versions.length) return undefined;
    const isTheirs = statuses.every(
      (each: unknown, at) => each === null || (isObject(each) && member(each, 'id') === ids[at]),
    );
    return isTheirs ? statuses.map((each: unknown) => (each === null ? null : parseVersionStatus(each))) : undefined;
  } catch (error) {
    // A server may fail at a path that it does not have; one that is unreachable is so for every path.
    if (error instanceof AskError && isOutage(error.problem) && error.problem.code !== 'server_error') throw error;
    if (error instanceof AskError && !error.problem.code.startsWith('token_')) return undefined;
    throw error;
  }
}
