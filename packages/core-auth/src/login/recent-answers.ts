/**
 * What renewals learn of the cloud (RENEW-5): each question is asked at most once in some seconds, so that a token that is
 * renewed in a loop costs the provider nothing. An answer of the cloud counts for all who ask the same within that time,
 * a failure as well; nothing is kept longer.
 */
import { createBoundedCache, createSingleFlight } from '@postern/kernel';
import type { Clock, Cloud, EpochMillis } from '@postern/ports';

/** About 1 KiB each. */
const MAX_ANSWERS = 10_000;

interface Answer {
  readonly askedAt: EpochMillis;
  readonly outcome: { readonly value: unknown } | { readonly error: unknown };
}

export type RenewalCloud = Pick<Cloud, 'describeInstance' | 'rolesOfProfile'>;

/** @param maxAgeMs zero asks each time. */
export function createRenewalCloud(cloud: RenewalCloud, clock: Clock, maxAgeMs: number): RenewalCloud {
  const answers = createBoundedCache<string, Answer>(MAX_ANSWERS);
  const flights = createSingleFlight<unknown>();

  async function askOnce<T>(key: string, ask: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const known = answers.get(key);
    const now = clock.now();
    // A clock that was set back does not make an answer last.
    if (known !== undefined && now >= known.askedAt && now - known.askedAt < maxAgeMs) {
      if ('error' in known.outcome) throw known.outcome.error;
      // The key names the kind of question, and with it the type of its answer.
      return known.outcome.value as T;
    }
    const remembered = async (aborted: AbortSignal): Promise<T> => {
      try {
        const value = await ask(aborted);
        answers.set(key, { askedAt: now, outcome: { value } });
        return value;
      } catch (error) {
        if (!aborted.aborted) answers.set(key, { askedAt: now, outcome: { error } });
        throw error;
      }
    };
    // As above.
    return (await flights.run(key, remembered, signal)) as T;
  }

  return {
    describeInstance({ accountId, region, instanceId }, options) {
      const query = { accountId, region, instanceId };
      const key = JSON.stringify(['instance', accountId, region, instanceId]);
      return askOnce(key, (signal) => cloud.describeInstance(query, { signal }), options?.signal);
    },
    rolesOfProfile(query, options) {
      const { accountId, region, instanceProfileArn } = query;
      const key = JSON.stringify(['profile', accountId, region, instanceProfileArn]);
      return askOnce(key, (signal) => cloud.rolesOfProfile(query, { signal }), options?.signal);
    },
  };
}
