/** Contract: `listExpired` gives what expired strictly before an instant, oldest first, and nothing else. */
import assert from 'node:assert/strict';
import type { ExpiredPosition, Storage } from '@postern/ports';
import { type ContractDefinition, checkPageCount, put, putMany } from './contract-case.js';

async function expiredKeys(storage: Storage, prefix: string, before: number, limit = 1000): Promise<readonly string[]> {
  const keys: string[] = [];
  let after: ExpiredPosition | undefined;
  let pages = 0;
  do {
    pages += 1;
    checkPageCount(pages);
    const page = await storage.listExpired(prefix, before, { after, limit });
    assert.ok(page.items.length <= limit);
    keys.push(...page.items.map(({ key }) => key));
    after = page.next;
  } while (after !== undefined);
  return keys;
}

export const expiryCases: readonly ContractDefinition[] = [
  {
    name: 'expiry: strictly before the instant, and never a record without an expiry',
    run: async ({ storage }) => {
      const version = await put(storage, 'at-100', 'v', 100);
      await put(storage, 'never', 'v');
      assert.deepEqual(await expiredKeys(storage, '', 100), []);
      const page = await storage.listExpired('', 101, { limit: 5 });
      assert.deepEqual(
        page.items.map((record) => ({ ...record })),
        [{ key: 'at-100', value: 'v', version, expiresAt: 100 }],
      );
      assert.equal(page.next, undefined);
    },
  },
  {
    name: 'expiry: oldest first, by key in byte order within an instant, in pages of every size',
    run: async ({ storage }) => {
      const order = [
        ['z', -5],
        ['y', 0],
        ['a', 10],
        ['a\u0000', 10],
        ['b', 10],
        ['\uFF5E', 10],
        ['\u{1F600}', 10],
        ['c', 11],
        ['b2', 1_700_000_000_000],
      ] as const;
      const shuffled = [...order].sort(([, left], [, right]) => right - left);
      await putMany(
        storage,
        shuffled.map(([key, expiresAt]) => ({ key, value: 'v', expiresAt })),
      );
      const expected = order.map(([key]) => key);
      for (const limit of [1, 2, 4, 8, 9, 10]) assert.deepEqual(await expiredKeys(storage, '', 2e12, limit), expected);
    },
  },
  {
    name: 'expiry: only under the prefix',
    run: async ({ storage }) => {
      const keys = ['a/1', 'b/1', 'b/2', 'b', 'b0', 'c/1'];
      await putMany(
        storage,
        keys.map((key, index) => ({ key, value: 'v', expiresAt: 100 - index })),
      );
      assert.deepEqual(await expiredKeys(storage, 'b/', 1000, 1), ['b/2', 'b/1']);
      assert.deepEqual(await expiredKeys(storage, 'd', 1000), []);
    },
  },
  {
    name: 'expiry: follows a record that is put again with a later, an earlier or no expiry, or deleted',
    run: async ({ storage }) => {
      await putMany(
        storage,
        ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key, value: 'v', expiresAt: 50 })),
      );
      await put(storage, 'a', 'renewed', 500);
      await put(storage, 'b', 'hurried', 5);
      await put(storage, 'c', 'for ever');
      await storage.commit([{ type: 'delete', key: 'd', if: 'present' }]);
      assert.deepEqual(await expiredKeys(storage, '', 100), ['b', 'e']);
      assert.deepEqual(await expiredKeys(storage, '', 1000), ['b', 'e', 'a']);
    },
  },
  {
    name: 'expiry: a walk that deletes what it sees, while others renew and create, meets each expired record once',
    run: async ({ storage }) => {
      const keys = Array.from({ length: 40 }, (_, index) => `t/${String(index).padStart(2, '0')}`);
      await putMany(
        storage,
        keys.map((key, index) => ({ key, value: 'v', expiresAt: index % 5 })),
      );
      const seen: string[] = [];
      let after: ExpiredPosition | undefined;
      for (let turn = 0; ; turn += 1) {
        checkPageCount(turn);
        const page = await storage.listExpired('t/', 100, { after, limit: 6 });
        for (const { key, version } of page.items) {
          seen.push(key);
          await storage.commit([{ type: 'delete', key, if: { version } }]);
        }
        if (page.next === undefined) break;
        after = page.next;
        await put(storage, `t/live-${turn}`, 'v', 10_000);
        await put(storage, `u/${turn}`, 'v', 1);
      }
      assert.deepEqual([...seen].sort(), keys);
    },
  },
  {
    name: 'expiry: the least and the greatest instant are kept exactly',
    run: async ({ storage }) => {
      await put(storage, 'first', 'v', Number.MIN_SAFE_INTEGER);
      await put(storage, 'last', 'v', Number.MAX_SAFE_INTEGER - 1);
      const page = await storage.listExpired('', Number.MAX_SAFE_INTEGER, { limit: 5 });
      assert.deepEqual(
        page.items.map(({ key, expiresAt }) => [key, expiresAt]),
        [
          ['first', Number.MIN_SAFE_INTEGER],
          ['last', Number.MAX_SAFE_INTEGER - 1],
        ],
      );
    },
  },
];
