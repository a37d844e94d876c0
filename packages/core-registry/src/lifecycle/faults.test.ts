/** Storage, catalogue and authorizer that fail: nothing is ever half changed, and the answer is honest (REGAPI-7: 503). */
import { createMemoryStorage } from '@postern/storage-memory';
import { createFaultStorage } from '@postern/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentsOf, createTestRegistry, errorOf, type TestRegistry, V1 } from '../../test/create-test-registry.js';
import { replay } from '../../test/replay.js';
import { isRegistryError } from '../errors.js';

type Fault = (test: TestRegistry) => void;

const FAULTS: readonly [string, Fault, string][] = [
  ['the right cannot be found out', ({ authorizer }) => authorizer.failNext(), 'provider_unavailable'],
  ['the version cannot be found out', ({ catalogue }) => catalogue.failNext(), 'provider_unavailable'],
  ['the status cannot be read', ({ storage }) => storage.failNextRead('unavailable'), 'storage_unavailable'],
  ['the commit is refused', ({ storage }) => storage.failNextCommit('unavailable'), 'storage_unavailable'],
  ['the storage is closed', ({ storage }) => void storage.close(), 'storage_unavailable'],
];

const COMMANDS: readonly [string, (test: TestRegistry) => Promise<unknown>][] = [
  [
    'deprecate',
    ({ registry, manager }) => registry.open(manager()).deprecate({ ...V1, version: '1.1.0' }, { reason: 'r' }),
  ],
  ['revise', ({ registry, manager }) => registry.open(manager()).deprecate(V1, { reason: 'r' })],
  ['reinstate', ({ registry, manager }) => registry.open(manager()).reinstate(V1)],
  ['revoke', ({ registry, manager }) => registry.open(manager()).revoke(V1, { reason: 'r' })],
  ['unrevoke', ({ registry, manager }) => registry.open(manager()).unrevoke({ ...V1, version: '2.0.0' })],
];

/** 1.0.0 deprecated, 1.1.0 active, 2.0.0 revoked. */
async function prepared(): Promise<TestRegistry> {
  const test = createTestRegistry();
  const { registry, manager } = test;
  await registry.open(manager()).deprecate(V1, { reason: 'first' });
  await registry.open(manager()).deprecate({ ...V1, version: '2.0.0' }, { reason: 'first' });
  await registry.open(manager()).revoke({ ...V1, version: '2.0.0' }, { reason: 'first' });
  return test;
}

describe.each(COMMANDS)('a failure of %s', (_command, run) => {
  it.each(FAULTS)('changes nothing where %s', async (name, fail, code) => {
    const test = await prepared();
    const before = await contentsOf(test.memory);
    const told = test.published.length;
    fail(test);
    const error = await errorOf(run(test));
    expect(error).toMatchObject({ code, kind: 'unavailable' });
    expect(error.retryAfterSeconds).toBeGreaterThan(0);
    if (!name.includes('closed')) expect(await contentsOf(test.memory)).toEqual(before);
    expect(test.published).toHaveLength(told);
    expect(test.events.at(-1)).toMatchObject({ outcome: 'unavailable', code });
  });

  it('whose answer was lost is found to stand, and is published once', async () => {
    const test = await prepared();
    const told = test.published.length;
    test.storage.failNextCommit('applied_unknown');
    expect(await run(test)).toMatchObject({ changed: true });
    expect(test.published).toHaveLength(told + 1);
    expect(test.storage.faults().get('commit:applied_unknown')).toBe(1);
  });

  it('that was lost on its way is sent again', async () => {
    const test = await prepared();
    const before = await contentsOf(test.memory);
    test.storage.failNextCommit('lost_unknown');
    expect(await run(test)).toMatchObject({ changed: true });
    // The status, one entry, the mark: not two entries.
    expect((await contentsOf(test.memory)).size - before.size).toBeLessThanOrEqual(2);
  });

  it.each(['duplicate', 'conflict'] as const)('by %s is not one', async (fault) => {
    const test = await prepared();
    test.storage.failNextCommit(fault);
    expect(await run(test)).toMatchObject({ changed: true });
  });
});

describe('an answer that stays lost', () => {
  it('has its own code, and repeating the call is safe', async () => {
    const test = createTestRegistry();
    const { registry, manager, reader, storage } = test;
    for (let n = 0; n < 3; n += 1) storage.failNextCommit('lost_unknown');
    const error = await errorOf(registry.open(manager()).deprecate(V1, { reason: 'r' }));
    expect(error).toMatchObject({ code: 'storage_outcome_unknown', kind: 'unavailable' });
    expect((await registry.open(manager()).deprecate(V1, { reason: 'r' })).changed).toBe(true);
    expect((await registry.open(reader()).history(V1)).total).toBe(1);
  });

  it('is not told as "nothing was changed" where it can no longer be looked up', async () => {
    const { registry, manager, reader, storage, memory } = createTestRegistry();
    storage.failNextCommit('applied_unknown');
    // The first read is of the status before the commit, the second would tell what became of it.
    const broken = { ...storage, get: storage.get.bind(storage) };
    let reads = 0;
    const get = storage.get.bind(storage);
    storage.get = (key, options) => {
      reads += 1;
      if (reads === 2) storage.failNextRead('unavailable');
      return get(key, options);
    };
    expect(await errorOf(registry.open(manager()).deprecate(V1, { reason: 'r' }))).toMatchObject({
      code: 'storage_outcome_unknown',
    });
    storage.get = broken.get;
    expect(await registry.open(reader()).status(V1)).toMatchObject({ state: 'deprecated' });
    const keys = [...(await contentsOf(memory)).keys()].filter((key) => !key.includes('/audit-nodes/'));
    expect(keys).toHaveLength(3);
  });
});

describe('whatever storage does', () => {
  it('history and status agree, and what was acknowledged stands', async () => {
    const rates = fc.record({
      unavailable: fc.double({ min: 0, max: 0.15, noNaN: true }),
      applied_unknown: fc.double({ min: 0, max: 0.2, noNaN: true }),
      lost_unknown: fc.double({ min: 0, max: 0.2, noNaN: true }),
      conflict: fc.double({ min: 0, max: 0.2, noNaN: true }),
      duplicate: fc.double({ min: 0, max: 0.2, noNaN: true }),
    });
    const reads = fc.record({
      unavailable: fc.double({ min: 0, max: 0.2, noNaN: true }),
      stale: fc.double({ min: 0, max: 0.2, noNaN: true }),
    });
    const property = fc.asyncProperty(
      fc.integer(),
      rates,
      reads,
      fc.array(fc.nat(3), { minLength: 1, maxLength: 25 }),
      async (seed, commits, readFaults, picks) => {
        const memory = createMemoryStorage();
        const faulty = createFaultStorage(memory, { seed, commits, reads: readFaults, maxYields: 1 });
        const { registry, manager } = createTestRegistry({ storage: faulty });
        const commands = [
          (n: number) => registry.open(manager({ requestId: `r-${n}` })).deprecate(V1, { reason: `reason ${n}` }),
          (n: number) => registry.open(manager({ requestId: `r-${n}` })).reinstate(V1),
          (n: number) => registry.open(manager({ requestId: `r-${n}` })).revoke(V1, { reason: `reason ${n}` }),
          (n: number) => registry.open(manager({ requestId: `r-${n}` })).unrevoke(V1),
        ];
        const results = await Promise.all(
          picks.map(async (pick, n) => {
            try {
              return (await commands[pick]!(n)).changed ? 'changed' : 'stayed';
            } catch (error) {
              if (!isRegistryError(error)) throw error;
              return error.code;
            }
          }),
        );
        // Seen through a storage without faults.
        const { registry: sound, reader } = createTestRegistry({ storage: memory });
        const { entries } = await sound.open(reader()).history(V1, { limit: 100 });
        expect(await sound.open(reader()).status(V1)).toMatchObject(replay([...entries].reverse()));
        const requests = entries.map(({ requestId }) => requestId);
        expect(new Set(requests).size).toBe(requests.length);
        for (const [n, result] of results.entries()) {
          if (result === 'storage_outcome_unknown') continue;
          expect(requests.includes(`r-${n}`)).toBe(result === 'changed');
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});
