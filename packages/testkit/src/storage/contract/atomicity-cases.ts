/** Contract: a commit applies whole or not at all, and a conflict names every key that failed (STORE-1). */
import assert from 'node:assert/strict';
import { type Operation, STORAGE_LIMITS } from '@postern/ports';
import { allKeys, type ContractDefinition, put, putAll, rejects, valuesOf } from './contract-case.js';

export const atomicityCases: readonly ContractDefinition[] = [
  {
    name: 'atomicity: puts, deletes and checks of one commit apply together, with versions in order',
    run: async ({ storage }) => {
      await putAll(storage, { b: 'b', c: 'c' });
      const { versions } = await storage.commit([
        { type: 'put', key: 'a', value: 'A', if: 'absent' },
        { type: 'delete', key: 'b', if: 'present' },
        { type: 'check', key: 'c', if: 'present' },
        { type: 'put', key: 'd', value: 'D', if: 'absent' },
      ]);
      assert.deepEqual(await valuesOf(storage, ['a', 'b', 'c', 'd']), ['A', undefined, 'c', 'D']);
      const [a, , , d] = versions;
      assert.deepEqual(versions, [
        (await storage.get('a'))?.version,
        undefined,
        undefined,
        (await storage.get('d'))?.version,
      ]);
      assert.ok(a !== undefined && d !== undefined);
    },
  },
  ...[0, 1, 12, STORAGE_LIMITS.maxOperations - 1].map((failing): ContractDefinition => {
    return {
      name: `atomicity: one failed precondition, at place ${failing} of ${STORAGE_LIMITS.maxOperations}, applies nothing`,
      run: async ({ storage }) => {
        const kept = await put(storage, 'kept', 'old', 9);
        const operations = Array.from({ length: STORAGE_LIMITS.maxOperations }, (_, place): Operation => {
          if (place === failing) return { type: 'check', key: 'missing', if: 'present' };
          if (place === (failing + 1) % 3) return { type: 'put', key: 'kept', value: 'new', if: { version: kept } };
          return { type: 'put', key: `new-${place}`, value: 'x', if: 'absent' };
        });
        const conflict = await rejects(storage.commit(operations), 'conflict');
        assert.deepEqual(conflict.keys, ['missing']);
        assert.deepEqual(await allKeys(storage), ['kept']);
        assert.deepEqual(
          { ...(await storage.get('kept')) },
          { key: 'kept', value: 'old', version: kept, expiresAt: 9 },
        );
      },
    };
  }),
  {
    name: 'atomicity: a conflict names all keys that failed and none that held',
    run: async ({ storage }) => {
      await putAll(storage, { a: '1', b: '2', c: '3' });
      const conflict = await rejects(
        storage.commit([
          { type: 'put', key: 'a', value: 'x', if: 'absent' },
          { type: 'put', key: 'b', value: 'x', if: 'present' },
          { type: 'delete', key: 'd', if: 'present' },
          { type: 'check', key: 'c', if: { version: 'never given out' } },
          { type: 'put', key: 'e', value: 'x', if: 'any' },
        ]),
        'conflict',
      );
      assert.deepEqual([...conflict.keys].sort(), ['a', 'c', 'd']);
      assert.deepEqual(await valuesOf(storage, ['a', 'b', 'c', 'd', 'e']), ['1', '2', '3', undefined, undefined]);
    },
  },
  {
    name: 'atomicity: commits sent together are decided one by one; a conflict among them disturbs no other',
    run: async ({ storage }) => {
      const outcomes = await Promise.allSettled([
        storage.commit([
          { type: 'put', key: 'a', value: '1', if: 'absent' },
          { type: 'put', key: 'shared', value: '1', if: 'absent' },
        ]),
        storage.commit([
          { type: 'put', key: 'b', value: '2', if: 'absent' },
          { type: 'put', key: 'shared', value: '2', if: 'absent' },
        ]),
        storage.commit([{ type: 'put', key: 'c', value: '3', if: 'absent' }]),
      ]);
      const [first, second, third] = outcomes.map(({ status }) => status);
      assert.equal(third, 'fulfilled');
      assert.deepEqual([first, second].sort(), ['fulfilled', 'rejected']);
      const winner = first === 'fulfilled' ? ['1', undefined, '1', '3'] : [undefined, '2', '2', '3'];
      assert.deepEqual(await valuesOf(storage, ['a', 'b', 'shared', 'c']), winner);
    },
  },
  {
    name: 'atomicity: a move between two keys is never seen half done',
    run: async ({ storage }) => {
      await put(storage, 'left', 'token');
      let done = false;
      const watch = async () => {
        while (!done) {
          const seen = (await storage.getMany(['left', 'right'])).filter((record) => record !== undefined);
          assert.equal(seen.length, 1, 'exactly one of the two keys holds the token');
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const move = async () => {
        for (let turn = 0; turn < 50; turn += 1) {
          const [from, to] = turn % 2 === 0 ? (['left', 'right'] as const) : (['right', 'left'] as const);
          await storage.commit([
            { type: 'delete', key: from, if: 'present' },
            { type: 'put', key: to, value: 'token', if: 'absent' },
          ]);
        }
      };
      const moving = move().finally(() => {
        done = true;
      });
      await Promise.all([moving, watch()]);
    },
  },
];
