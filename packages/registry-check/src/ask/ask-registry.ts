/** One registry, all versions that a working directory has of it: discovered, asked in bulk, or module by module. */
import { PUBLIC_HOSTS, sourceText } from '../installed/registry-source.js';
import type { RegistryVersion } from '../installed/used-versions.js';
import { askStatuses, BULK_SIZE } from './bulk-statuses.js';
import { type DiscoveredModules, discoverModules, type RegistryLocation } from './discover.js';
import type { Limit } from './limit-concurrency.js';
import { AskError, isOutage, type Problem } from './problem.js';
import type { Sender } from './send.js';
import { askVersionList } from './version-lists.js';
import type { VersionStatusResponse } from './version-status-response.js';

export type VersionAnswer = VersionStatusResponse | { readonly problem: Problem };

export interface RegistryQuestion {
  readonly host: string;
  readonly versions: readonly RegistryVersion[];
  readonly location: RegistryLocation | undefined;
  readonly token: string | undefined;
}

const NOT_LISTED: Problem = {
  code: 'not_found',
  message: 'version not found, or not visible to this token',
};

/** One answer for each version, in order. @throws the reason of the check's signal, and nothing else */
export async function askRegistry(
  send: Sender,
  inLine: Limit,
  { host, versions, location, token }: RegistryQuestion,
): Promise<readonly VersionAnswer[]> {
  try {
    const found = await inLine(() => discoverModules(send, host, token, location));
    const bulk = PUBLIC_HOSTS.has(host) ? undefined : await inLine(() => askInBulk(send, found, versions));
    return bulk ?? (await askModules(send, inLine, found, versions));
  } catch (error) {
    const problem = problemOf(error);
    return versions.map(() => ({ problem }));
  }
}

async function askInBulk(
  send: Sender,
  { modulesUrl, credential }: DiscoveredModules,
  versions: readonly RegistryVersion[],
): Promise<readonly VersionAnswer[] | undefined> {
  const answers: VersionAnswer[] = [];
  for (let at = 0; at < versions.length; at += BULK_SIZE) {
    const statuses = await askStatuses(send, modulesUrl, credential, versions.slice(at, at + BULK_SIZE));
    if (statuses === undefined) return undefined;
    answers.push(...statuses.map((status) => status ?? { problem: NOT_LISTED }));
  }
  return answers;
}

/** One list for each module, however many of its versions are in use. */
async function askModules(
  send: Sender,
  inLine: Limit,
  { modulesUrl, credential }: DiscoveredModules,
  versions: readonly RegistryVersion[],
): Promise<readonly VersionAnswer[]> {
  /** After an outage it is not asked again: a thousand modules would wait a thousand times. */
  let outage: AskError | undefined;

  async function ask(module: RegistryVersion['module']): Promise<(version: string) => VersionAnswer> {
    try {
      if (outage !== undefined) throw outage;
      const statusOf = await askVersionList(send, modulesUrl, credential, module);
      return (version) => answerOr(() => statusOf(version));
    } catch (error) {
      const problem = problemOf(error);
      if (error instanceof AskError && isOutage(problem)) outage = error;
      return () => ({ problem });
    }
  }

  const lists = new Map<string, Promise<(version: string) => VersionAnswer>>();
  for (const { module } of versions) {
    const source = sourceText(module);
    if (!lists.has(source))
      lists.set(
        source,
        inLine(() => ask(module)),
      );
  }
  return Promise.all(
    versions.map(async ({ module, version }) => {
      const answerOf = await lists.get(sourceText(module));
      // Every version's module has its list.
      return answerOf?.(version) ?? { problem: NOT_LISTED };
    }),
  );
}

function answerOr(read: () => VersionAnswer): VersionAnswer {
  try {
    return read();
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof AskError) return error.problem;
  throw error;
}
