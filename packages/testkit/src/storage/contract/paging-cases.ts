/** Contract: `list` walks the keys under a prefix in order, and a key present throughout appears exactly once. */
import assert from 'node:assert/strict';
import { allKeys, type ContractDefinition, checkPageCount, put, putAll, putMany } from './contract-case.js';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `p/${String(index).padStart(4, '0')}`);

export const pagingCases: readonly ContractDefinition[] = [
  {
    name: 'paging: only keys under the prefix, in order; keys alone unless values are asked for',
    run: async ({ storage }) => {
      await putAll(storage, { 'b/2': '2', a: 'a', 'b/': 'b', 'b/1': '1', b: 'x', b0: 'y', c: 'c' });
      const keys = await storage.list('b/', { limit: 10 });
      assert.deepEqual(keys, { items: [{ key: 'b/' }, { key: 'b/1' }, { key: 'b/2' }], next: undefined });
      const records = await storage.list('b/', { limit: 10, values: true });
      assert.deepEqual(
        records.items.map(({ key, record }) => [key, record?.key, record?.value]),
        [
          ['b/', 'b/', 'b'],
          ['b/1', 'b/1', '1'],
          ['b/2', 'b/2', '2'],
        ],
      );
    },
  },
  {
    name: 'paging: pages of every size meet without gap or overlap, and only the last has no next',
    run: async ({ storage }) => {
      const keys = numbered(12);
      await putMany(
        storage,
        keys.map((key) => ({ key, value: 'v' })),
      );
      for (const limit of [1, 2, 3, 5, 11, 12, 13]) {
        const walked: string[] = [];
        let after: string | undefined;
        let pages = 0;
        do {
          const page = await storage.list('p/', { after, limit });
          assert.ok(page.items.length <= limit);
          if (page.next !== undefined) assert.equal(page.items.length, limit);
          walked.push(...page.items.map(({ key }) => key));
          after = page.next;
          pages += 1;
          checkPageCount(pages);
        } while (after !== undefined);
        assert.deepEqual(walked, keys);
        assert.equal(pages, Math.ceil(keys.length / limit));
      }
    },
  },
  {
    name: 'paging: `after` may be a key that is absent, before the prefix, or past its end',
    run: async ({ storage }) => {
      await putAll(storage, { 'p/a': '1', 'p/c': '2', q: '3' });
      const from = async (after: string) => (await storage.list('p/', { after, limit: 9 })).items.map(({ key }) => key);
      assert.deepEqual(await from('p/b'), ['p/c']);
      assert.deepEqual(await from('p/a'), ['p/c']);
      assert.deepEqual(await from('a'), ['p/a', 'p/c']);
      assert.deepEqual(await from(''), ['p/a', 'p/c']);
      assert.deepEqual(await from('p/c'), []);
      assert.deepEqual(await from('z'), []);
    },
  },
  {
    name: 'paging: a key that is the beginning of the next one is listed once',
    run: async ({ storage }) => {
      const keys = ['p', 'p\u0000', 'p\u0000\u0000', 'p\u0001', 'pp', 'ppp'];
      await putMany(
        storage,
        keys.map((key) => ({ key, value: 'v' })),
      );
      assert.deepEqual(await allKeys(storage, 'p', 1), keys);
      assert.deepEqual(await allKeys(storage, 'pp', 1), ['pp', 'ppp']);
    },
  },
  {
    name: 'paging: insertions and deletions during a walk neither hide nor repeat a key present throughout',
    run: async ({ storage }) => {
      const stable = numbered(60);
      const doomed = stable.map((key) => `${key}-doomed`);
      await putMany(
        storage,
        [...stable, ...doomed].map((key) => ({ key, value: 'v' })),
      );
      const walked: string[] = [];
      let after: string | undefined;
      for (let turn = 0; ; turn += 1) {
        checkPageCount(turn);
        const page = await storage.list('p/', { after, limit: 7 });
        walked.push(...page.items.map(({ key }) => key));
        if (page.next === undefined) break;
        after = page.next;
        await put(storage, `p/0000-before-${turn}`, 'v');
        await put(storage, `${after}-new`, 'v');
        await put(storage, `p/9999-behind-${turn}`, 'v');
        await put(storage, after, 'changed');
        for (const key of doomed.splice(0, 6)) await storage.commit([{ type: 'delete', key, if: 'any' }]);
      }
      assert.deepEqual(
        walked.filter((key) => stable.includes(key)),
        stable,
      );
      assert.equal(new Set(walked).size, walked.length);
      assert.deepEqual(walked, [...walked].sort());
    },
  },
  {
    name: 'paging: a walk goes on when the key it stands at is deleted',
    run: async ({ storage }) => {
      const keys = numbered(9);
      await putMany(
        storage,
        keys.map((key) => ({ key, value: 'v' })),
      );
      const walked: string[] = [];
      let after: string | undefined;
      let pages = 0;
      do {
        pages += 1;
        checkPageCount(pages);
        const page = await storage.list('p/', { after, limit: 2 });
        walked.push(...page.items.map(({ key }) => key));
        for (const { key } of page.items) await storage.commit([{ type: 'delete', key, if: 'present' }]);
        after = page.next;
      } while (after !== undefined);
      assert.deepEqual(walked, keys);
      assert.deepEqual(await allKeys(storage), []);
    },
  },
];
