/**
 * Which of some instances still exist (TIDY-10)? Asked at the same time in batches, so that an adapter sends them as few calls
 * (INSTANCE-3). Where the cloud cannot tell of one it is not asked again about the account and region in this run.
 */
import { type Cloud, isProviderError } from '@postern/ports';
import type { AccessListEntry } from '../access-list/entry.js';

/** At the same time. */
const BATCH = 100;

/** An instance in this state never runs again. */
const TERMINATED = 'terminated';

export interface AskedInstance extends Pick<AccessListEntry, 'accountId' | 'region'> {
  readonly instanceId: string;
}

export type Existence = 'exists' | 'gone' | 'unknown';

/** For one run. */
export function createExistence({ describeInstance }: Pick<Cloud, 'describeInstance'>) {
  const silent = new Set<string>();

  async function ask({ instanceId, accountId, region }: AskedInstance): Promise<Existence> {
    if (accountId === undefined || region === undefined || silent.has(`${accountId} ${region}`)) return 'unknown';
    try {
      const found = await describeInstance({ accountId, region, instanceId });
      if (found === undefined) return 'gone';
      // An answer about another instance says nothing of this one (PROVIDER-4).
      if (found.instanceId !== instanceId) return 'unknown';
      return found.state === TERMINATED ? 'gone' : 'exists';
    } catch (error) {
      if (!isProviderError(error)) throw error;
      silent.add(`${accountId} ${region}`);
      return 'unknown';
    }
  }

  return async (instances: readonly AskedInstance[]): Promise<readonly Existence[]> => {
    const answers: Existence[] = [];
    for (let at = 0; at < instances.length; at += BATCH) {
      answers.push(...(await Promise.all(instances.slice(at, at + BATCH).map(ask))));
    }
    return answers;
  };
}
