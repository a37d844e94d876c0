/** Contract: `close` can be called again, waits for commits under way, and ends the storage. */
import assert from 'node:assert/strict';
import { type ContractDefinition, put, rejects, valuesOf } from './contract-case.js';

export const closingCases: readonly ContractDefinition[] = [
  {
    name: 'closing: every call after it rejects with `closed`',
    run: async ({ storage }) => {
      await put(storage, 'a', 'v');
      await storage.close();
      await rejects(storage.get('a'), 'closed');
      await rejects(storage.getMany(['a']), 'closed');
      await rejects(storage.list('', { limit: 1 }), 'closed');
      await rejects(storage.listExpired('', 1, { limit: 1 }), 'closed');
      await rejects(storage.commit([{ type: 'put', key: 'a', value: 'w', if: 'any' }]), 'closed');
    },
  },
  {
    name: 'closing: again, and twice at once, succeeds',
    run: async ({ storage }) => {
      await Promise.all([storage.close(), storage.close()]);
      await storage.close();
    },
  },
  {
    name: 'closing: waits for commits under way, and refuses those that come after',
    run: async ({ storage }) => {
      const settled: string[] = [];
      const commits = ['a', 'b', 'c'].map((key) =>
        storage.commit([{ type: 'put', key, value: 'v', if: 'absent' }]).then(() => settled.push(key)),
      );
      const all = Promise.all(commits);
      // A commit that fails fails the case below; until then nobody awaits it.
      all.catch(() => undefined);
      const closing = storage.close();
      await rejects(storage.commit([{ type: 'put', key: 'late', value: 'v', if: 'any' }]), 'closed');
      await closing;
      // One turn more: the promises of the callers hang on those that `close` waited for.
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(settled.sort(), ['a', 'b', 'c']);
      await all;
    },
  },
  {
    name: 'closing: commits that it waited for are durable',
    needsDurability: true,
    run: async ({ storage, reopen }) => {
      const commits = ['a', 'b', 'c'].map((key) => put(storage, key, 'v'));
      await storage.close();
      await Promise.all(commits);
      assert.deepEqual(await valuesOf(await reopen(), ['a', 'b', 'c']), ['v', 'v', 'v']);
    },
  },
];
