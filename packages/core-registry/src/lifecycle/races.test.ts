/** Many contradictory commands at once end in one serial order, and the history tells it (REG-7). */
import { createMemoryStorage } from '@postern/storage-memory';
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createTestRegistry, type TestRegistry, V1 } from '../../test/create-test-registry.js';
import { replay } from '../../test/replay.js';
import { isRegistryError } from '../errors.js';
import type { HistoryEntry } from '../results.js';

async function wholeHistory({ registry, reader }: TestRegistry): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  let before: number | undefined;
  do {
    const page = await registry.open(reader()).history(V1, { before, limit: 7 });
    entries.push(...page.entries);
    before = page.next;
  } while (before !== undefined);
  return entries.reverse();
}

/** The n-th of a contradictory series; resolves to whether it changed anything, or the code of its refusal. */
async function command({ registry, manager }: TestRegistry, n: number): Promise<boolean | string> {
  const call = manager({ requestId: `race-${n}` });
  const commands = [
    () => registry.open(call).deprecate(V1, { reason: `reason ${n}` }),
    () => registry.open(call).reinstate(V1),
    () => registry.open(call).revoke(V1, { reason: `reason ${n}` }),
    () => registry.open(call).unrevoke(V1),
    () => registry.open(call).deprecate(V1, { reason: `reason ${n}`, reasonClass: 'security' }),
  ];
  try {
    return (await commands[n % commands.length]!()).changed;
  } catch (error) {
    if (isRegistryError(error)) return error.code;
    throw error;
  }
}

describe('100 concurrent contradictory commands', () => {
  it.each([
    ['through one registry', 1, {}],
    ['through four, over a storage that interleaves them', 4, { maxYields: 3 }],
    [
      'through four, over a storage that loses answers',
      4,
      { maxYields: 2, commits: { applied_unknown: 0.2, conflict: 0.1 } },
    ],
  ])('%s', async (_name, processes, plan) => {
    const memory = createMemoryStorage();
    const tests = Array.from({ length: processes }, (_, seed) =>
      createTestRegistry({ storage: createFaultStorage(memory, { seed, ...plan }) }),
    );
    const results = await Promise.all(Array.from({ length: 100 }, (_, n) => command(tests[n % processes]!, n)));
    const history = await wholeHistory(tests[0]!);

    // Each call that says it changed something is in the history once, and nobody else is.
    const changed = results.flatMap((result, n) => (result === true ? [`race-${n}`] : []));
    expect(history.map(({ requestId }) => requestId).sort()).toEqual(changed.sort());
    expect(changed.length).toBeGreaterThan(0);
    // Refusals are the table's: nobody was turned away because of the crowd.
    const refused = new Set(results.filter((result) => typeof result === 'string'));
    for (const code of refused) expect(['revoke_not_deprecated', 'reinstate_revoked']).toContain(code);
    // The order is one: each entry begins where the one before ended, and the last is what stands.
    const { registry, reader } = tests[0]!;
    expect(await registry.open(reader()).status(V1)).toMatchObject(replay(history));
    // What each process publishes is in that order too.
    for (const { published } of tests) {
      const reasons = published.map(({ reason, to }) => `${reason} ${to}`);
      const inHistory = history.map(({ reason, to }) => `${reason} ${to}`);
      let at = -1;
      for (const each of reasons) {
        at = inHistory.indexOf(each, at + 1);
        expect(at).toBeGreaterThanOrEqual(0);
      }
    }
  });

  it('upon different versions do not disturb each other', async () => {
    const versions = Array.from({ length: 100 }, (_, n) => `1.0.${n}`);
    const { registry, manager, reader, storage } = createTestRegistry({ versions });
    await Promise.all(
      versions.map((version) => registry.open(manager()).deprecate({ ...V1, version }, { reason: `about ${version}` })),
    );
    const list = await registry.open(reader()).listVersions(V1);
    for (const { summary, status } of list.versions)
      expect(status.deprecation?.reason).toBe(`about ${summary.version}`);
    expect(storage.faults().size).toBe(0);
  });
});
