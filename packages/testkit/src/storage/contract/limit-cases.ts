/** Contract: each of STORAGE_LIMITS is reached and not passed. */
import assert from 'node:assert/strict';
import { type Operation, STORAGE_LIMITS, type Storage } from '@postern/ports';
import { allKeys, type ContractDefinition, put, rejects } from './contract-case.js';

const { maxKeyBytes, maxValueBytes, maxOperations, maxPage, maxGetMany } = STORAGE_LIMITS;

const puts = (count: number) =>
  Array.from({ length: count }, (_, index): Operation => ({ type: 'put', key: `k${index}`, value: 'v', if: 'any' }));

interface Limit {
  readonly what: string;
  within(storage: Storage): Promise<unknown>;
  /** Each must be refused. */
  readonly beyond: readonly ((storage: Storage) => Promise<unknown>)[];
}

const limits: readonly Limit[] = [
  {
    what: `keys of ${maxKeyBytes} bytes`,
    within: async (storage) => {
      for (const key of [
        'k'.repeat(maxKeyBytes),
        '\u00E9'.repeat(maxKeyBytes / 2),
        '\u{1F600}'.repeat(maxKeyBytes / 4),
      ]) {
        const version = await put(storage, key, 'v', 1);
        assert.equal((await storage.get(key))?.version, version);
        assert.deepEqual(await allKeys(storage, key), [key]);
        const page = await storage.listExpired(key, 5, { after: { expiresAt: 1, key: key.slice(0, -2) }, limit: 1 });
        assert.equal(page.items.length, 1);
        await storage.commit([{ type: 'delete', key, if: { version } }]);
      }
    },
    beyond: ['', 'k'.repeat(maxKeyBytes + 1), `${'\u00E9'.repeat(maxKeyBytes / 2)}k`].flatMap((key) => [
      (storage: Storage) => storage.commit([{ type: 'put', key, value: 'v', if: 'any' }]),
      (storage: Storage) => storage.commit([{ type: 'delete', key, if: 'any' }]),
      (storage: Storage) => storage.commit([{ type: 'check', key, if: 'any' }]),
      (storage: Storage) => storage.get(key),
      (storage: Storage) => storage.getMany(['a', key]),
    ]),
  },
  {
    what: `prefixes and positions of ${maxKeyBytes} bytes`,
    within: async (storage) => {
      const key = 'k'.repeat(maxKeyBytes);
      assert.deepEqual((await storage.list(key, { after: key, limit: 1 })).items, []);
    },
    beyond: [
      (storage) => storage.list('k'.repeat(maxKeyBytes + 1), { limit: 1 }),
      (storage) => storage.list('', { after: 'k'.repeat(maxKeyBytes + 1), limit: 1 }),
      (storage) => storage.listExpired('k'.repeat(maxKeyBytes + 1), 1, { limit: 1 }),
      (storage) => {
        const after = { expiresAt: 1, key: 'k'.repeat(maxKeyBytes + 1) };
        return storage.listExpired('', 1, { after, limit: 1 });
      },
    ],
  },
  {
    what: `values of ${maxValueBytes} bytes`,
    within: async (storage) => {
      for (const value of ['v'.repeat(maxValueBytes), '\u{1F600}'.repeat(maxValueBytes / 4)]) {
        await put(storage, 'k', value);
        assert.equal((await storage.get('k'))?.value, value);
      }
    },
    beyond: ['v'.repeat(maxValueBytes + 1), '\u4E2D'.repeat(maxValueBytes / 3 + 1)].map(
      (value) => (storage) => storage.commit([{ type: 'put', key: 'k', value, if: 'any' }]),
    ),
  },
  {
    what: `${maxOperations} operations`,
    within: async (storage) => {
      assert.equal((await storage.commit(puts(maxOperations))).versions.length, maxOperations);
    },
    beyond: [(storage) => storage.commit(puts(maxOperations + 1)), (storage) => storage.commit([])],
  },
  {
    what: `pages of ${maxPage}`,
    within: async (storage) => {
      await storage.commit(puts(3));
      assert.equal((await storage.list('', { limit: maxPage })).items.length, 3);
      assert.equal((await storage.listExpired('', 1, { limit: maxPage })).items.length, 0);
    },
    beyond: [maxPage + 1, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY].flatMap((limit) => [
      (storage: Storage) => storage.list('', { limit }),
      (storage: Storage) => storage.listExpired('', 1, { limit }),
    ]),
  },
  {
    what: `${maxGetMany} keys at once`,
    within: async (storage) => {
      await put(storage, 'k99', 'v');
      const records = await storage.getMany(Array.from({ length: maxGetMany }, (_, index) => `k${index}`));
      assert.equal(records.length, maxGetMany);
      assert.equal(records[99]?.value, 'v');
    },
    beyond: [(storage) => storage.getMany(Array.from({ length: maxGetMany + 1 }, (_, index) => `k${index}`))],
  },
];

export const limitCases: readonly ContractDefinition[] = limits.flatMap(({ what, within, beyond }) => [
  {
    name: `limits: accepts ${what}`,
    run: async ({ storage }) => {
      await within(storage);
    },
  },
  {
    name: `limits: refuses what goes beyond ${what}, and applies nothing of it`,
    run: async ({ storage }) => {
      for (const call of beyond) await rejects(call(storage), 'limit');
      assert.deepEqual(await allKeys(storage), []);
    },
  },
]);
