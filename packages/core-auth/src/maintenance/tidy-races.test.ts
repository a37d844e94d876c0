/** Runs against each other and against renewals, logins and faults of the storage (ACCESS-6, TIDY-8). */
import type { Storage } from '@postern/ports';
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, DAY, START, type TestMethod } from '../../test/create-test-method.js';
import { withMethods } from '../../test/intercept-commits.js';

const seeds = (length: number) => Array.from({ length }, (_, at) => at + 1);
const SEEDS = seeds(12);
/** A login has so few turns that most come after the tidy. */
const LOGIN_SEEDS = seeds(48);
const OPERATION = 'tidy.identity-accesslist';

/** Another process on the same storage, each call of which pauses for a seeded number of turns. */
function beside(first: TestMethod, seed: number): TestMethod {
  return createTestMethod({ beside: first, storage: (inner) => createFaultStorage(inner, { seed, maxYields: 5 }) });
}

/** Its pages of expired records wait for what `around` makes of them. */
function watched(inner: Storage, around: (list: Promise<unknown>) => Promise<void>): Storage {
  return withMethods(inner, {
    async listExpired(...given) {
      const page = inner.listExpired(...given);
      await around(page);
      return page;
    },
  });
}

describe('two tidies', () => {
  it.each(SEEDS)('have one winner (seed %d)', async (seed) => {
    const first = createTestMethod();
    for (let at = 0; at < 60; at += 1) await first.putEntry(`i-${at}`, { expiresAt: START - 10 * DAY });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const processes = [1, 2, 3].map((at) =>
      createTestMethod({
        beside: first,
        storage: (memory) => {
          const plan = { seed: seed * 10 + at, maxYields: 5, commits: { duplicate: 0.1, applied_unknown: 0.1 } };
          return watched(createFaultStorage(memory, plan), () => gate);
        },
      }),
    );
    const starts = await Promise.all(processes.flatMap((one) => [one.host(OPERATION), one.host(OPERATION)]));
    open();
    await Promise.all(processes.map((one) => one.method.settled()));
    expect(starts.filter(({ accepted }) => accepted === true)).toHaveLength(1);
    expect(starts.every(({ warnings }) => warnings?.length === 1)).toBe(true);
    expect(await first.inside.collections.accessList.allIds()).toEqual([]);
  });

  it('never overlap', async () => {
    let inside = 0;
    let most = 0;
    const first = createTestMethod();
    for (let at = 0; at < 40; at += 1) await first.putEntry(`i-${at}`, { expiresAt: START - 10 * DAY });
    const processes = [1, 2, 3].map((seed) =>
      createTestMethod({
        beside: first,
        storage: (memory) =>
          watched(createFaultStorage(memory, { seed, maxYields: 3 }), async (list) => {
            inside += 1;
            most = Math.max(most, inside);
            await list;
            inside -= 1;
          }),
      }),
    );
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(processes.map((one) => one.host(OPERATION)));
    }
    await Promise.all(processes.map((one) => one.method.settled()));
    expect(most).toBe(1);
  });

  it('of which one runs periodically share the guard', async () => {
    const first = createTestMethod();
    await first.putEntry('i-1', { expiresAt: START - 10 * DAY });
    const other = beside(first, 7);
    const [outcome] = await Promise.all([other.host(OPERATION), first.method.runPeriodicTidy()]);
    await other.method.settled();
    expect(outcome.warnings).toHaveLength(1);
    expect(await first.entry('i-1')).toBeUndefined();
  });
});

describe('a run', () => {
  it('never takes an entry that is renewed meanwhile, whichever is first', async () => {
    const met = new Set<string>();
    for (const seed of LOGIN_SEEDS) {
      const first = createTestMethod();
      const instance = first.cloud.launchInstance({ instanceId: 'i-1' });
      await first.putRole();
      await first.putEntry('i-1', { clientNonce: 'mine', expiresAt: START - 10 * DAY });
      const [one, two] = [beside(first, seed * 10 + 1), beside(first, seed * 10 + 2)];
      const [code] = await Promise.all([
        codeOf(one.login(instance, { nonce: 'mine' })),
        two.host(OPERATION, {}, { tidy_keep_existing_instances: false }),
      ]);
      await two.method.settled();
      expect(code).toBe('allowed');
      expect((await first.entry('i-1'))?.clientNonce).toBe('mine');
      const { data = {} } = await first.host('tidy.status');
      const { examined, removed, renewed } = data['identity-accesslist'] as Record<string, number>;
      met.add(`${examined} ${removed} ${renewed}`);
    }
    // Seen and taken before the login; not seen any more after it.
    expect(met).toContain('1 1 0');
    expect(met.size).toBeGreaterThan(1);
  });

  it.each(SEEDS)('ends and gives its lease back though storage loses answers (seed %d)', async (seed) => {
    const first = createTestMethod();
    for (let at = 0; at < 60; at += 1) await first.putEntry(`i-${at}`, { expiresAt: START - 10 * DAY });
    const faulty = createTestMethod({
      beside: first,
      storage: (inner) =>
        createFaultStorage(inner, {
          seed,
          maxYields: 2,
          commits: { applied_unknown: 0.1, lost_unknown: 0.1, conflict: 0.1, unavailable: 0.1 },
          reads: { unavailable: 0.05 },
        }),
    });
    for (let round = 0; round < 30; round += 1) {
      await codeOf(faulty.host(OPERATION));
      await faulty.method.settled();
      faulty.clock.advance(130_000);
    }
    expect(await first.inside.collections.accessList.allIds()).toEqual([]);
  });
});
