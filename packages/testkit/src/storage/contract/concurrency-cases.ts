/** Contract: commits that compete are decided one after the other: one creator wins, no increment is lost. */
import assert from 'node:assert/strict';
import { isConflict, type Storage } from '@postern/ports';
import { allKeys, type ContractDefinition, put } from './contract-case.js';

const CREATORS = 50;
const WORKERS = 20;
const INCREMENTS = 5;
/** A conflict means that another increment succeeded after the read, so no increment conflicts more often than this. */
const MAX_ATTEMPTS = WORKERS * INCREMENTS;

async function increment(storage: Storage, key: string): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const record = await storage.get(key);
    assert.ok(record !== undefined);
    try {
      const value = String(Number(record.value) + 1);
      await storage.commit([{ type: 'put', key, value, if: { version: record.version } }]);
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  assert.fail(
    `the increment of ${key} conflicted ${MAX_ATTEMPTS} times, more often than the other workers commit: commit rejects current versions`,
  );
}

export const concurrencyCases: readonly ContractDefinition[] = [
  {
    name: `concurrency: of ${CREATORS} parallel creators of a key exactly one wins, and the others conflict`,
    run: async ({ storage }) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: CREATORS }, (_, creator) =>
          storage.commit([
            { type: 'put', key: 'prize', value: String(creator), if: 'absent' },
            { type: 'put', key: `mark/${creator}`, value: 'won', if: 'absent' },
          ]),
        ),
      );
      const winners = outcomes.flatMap(({ status }, creator) => (status === 'fulfilled' ? [creator] : []));
      assert.equal(winners.length, 1);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        assert.ok(isConflict(outcome.reason));
        assert.deepEqual(outcome.reason.keys, ['prize']);
      }
      assert.equal((await storage.get('prize'))?.value, String(winners[0]));
      assert.deepEqual(await allKeys(storage, 'mark/'), [`mark/${winners[0]}`]);
    },
  },
  {
    name: `concurrency: ${WORKERS} workers that increment by compare-and-set lose nothing`,
    run: async ({ storage }) => {
      await put(storage, 'count', '0');
      const work = async () => {
        for (let count = 0; count < INCREMENTS; count += 1) await increment(storage, 'count');
      };
      await Promise.all(Array.from({ length: WORKERS }, work));
      assert.equal((await storage.get('count'))?.value, String(WORKERS * INCREMENTS));
    },
  },
  {
    name: 'concurrency: of a renewal and a deletion by the same version exactly one happens',
    run: async ({ storage }) => {
      for (let turn = 0; turn < 20; turn += 1) {
        const version = await put(storage, 'k', 'old');
        const renew = () => storage.commit([{ type: 'put', key: 'k', value: 'renewed', if: { version } }]);
        const remove = () => storage.commit([{ type: 'delete', key: 'k', if: { version } }]);
        const [first, second] = turn % 2 === 0 ? [renew, remove] : [remove, renew];
        const outcomes = await Promise.allSettled([first(), second()]);
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
        const renewed = (outcomes[0].status === 'fulfilled') === (first === renew);
        assert.equal((await storage.get('k'))?.value, renewed ? 'renewed' : undefined);
      }
    },
  },
  {
    name: 'concurrency: an acknowledged commit is seen by every read that starts after it',
    run: async ({ storage }) => {
      const work = async (worker: number) => {
        for (let count = 0; count < 10; count += 1) {
          const version = await put(storage, `k/${worker}`, String(count), count);
          const [single, many, page] = await Promise.all([
            storage.get(`k/${worker}`),
            storage.getMany([`k/${worker}`]),
            storage.list(`k/${worker}`, { limit: 1, values: true }),
          ]);
          assert.deepEqual(
            [single?.version, many[0]?.version, page.items[0]?.record?.version],
            [version, version, version],
          );
        }
      };
      await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(work));
    },
  },
];
