/** Contract: logs (STORE-6). Entries are appended with a commit or not at all, in order, and stay until they are removed. */
import assert from 'node:assert/strict';
import type { Storage } from '@postern/ports';
import { allKeys, type ContractDefinition, put, rejects } from './contract-case.js';

const append = (value: string, log = 'l') => ({ type: 'append', log, value }) as const;

async function valuesIn(storage: Storage, log = 'l', limit = 1000): Promise<readonly string[]> {
  return (await storage.readLog(log, { limit })).map(({ value }) => value);
}

async function positionsIn(storage: Storage, log = 'l'): Promise<readonly string[]> {
  return (await storage.readLog(log, { limit: 1000 })).map(({ position }) => position);
}

/** In one turn: an adapter may group them. */
async function appendAtOnce(storage: Storage, values: readonly string[], log = 'l'): Promise<void> {
  await Promise.all(values.map((value) => storage.commit([append(value, log)])));
}

export const logCases: readonly ContractDefinition[] = [
  {
    name: 'logs: entries are read in the order of their commits, and within a commit in that of its operations',
    run: async ({ storage }) => {
      assert.deepEqual(await storage.readLog('l', { limit: 10 }), []);
      for (const value of ['1', '2', '3']) await storage.commit([append(value), append(`${value}b`)]);
      assert.deepEqual(await valuesIn(storage), ['1', '1b', '2', '2b', '3', '3b']);
      assert.deepEqual(await valuesIn(storage, 'l', 3), ['1', '1b', '2']);
    },
  },
  {
    name: 'logs: a commit answers the positions of its entries, and no version for them',
    run: async ({ storage }) => {
      const { versions, positions } = await storage.commit([
        append('a'),
        { type: 'put', key: 'k', value: 'v', if: 'absent' },
        append('b', 'other'),
      ]);
      assert.equal(versions.length, 3);
      assert.deepEqual([versions[0], versions[2]], [undefined, undefined]);
      assert.equal((await storage.get('k'))?.version, versions[1]);
      assert.deepEqual([positions[0]], await positionsIn(storage));
      assert.deepEqual([positions[1]], await positionsIn(storage, 'other'));
      const without = await storage.commit([{ type: 'check', key: 'k', if: 'present' }]);
      assert.deepEqual(without.positions, []);
    },
  },
  {
    name: 'logs: a commit that conflicts appends nothing',
    run: async ({ storage }) => {
      await put(storage, 'k', 'v');
      const refused = storage.commit([append('no'), { type: 'put', key: 'k', value: 'w', if: 'absent' }]);
      const applied = storage.commit([append('yes'), { type: 'check', key: 'k', if: 'present' }]);
      assert.deepEqual((await rejects(refused, 'conflict')).keys, ['k']);
      await applied;
      assert.deepEqual(await valuesIn(storage), ['yes']);
    },
  },
  {
    name: 'logs: entries are no records',
    run: async ({ storage }) => {
      await storage.commit([append('a'), { type: 'put', key: 'l', value: 'record', if: 'absent' }]);
      assert.deepEqual(await allKeys(storage), ['l']);
      assert.equal((await storage.get('l'))?.value, 'record');
      assert.deepEqual(await valuesIn(storage), ['a']);
    },
  },
  {
    name: 'logs: removing takes the named entries, of that log only, again without harm',
    run: async ({ storage }) => {
      await appendAtOnce(storage, ['1', '2', '3', '4']);
      await appendAtOnce(storage, ['x'], 'other');
      const [first, , third] = await positionsIn(storage);
      const values = await valuesIn(storage);
      const left = [values[1], values[3]];
      assert.ok(first !== undefined && third !== undefined);
      for (let times = 0; times < 2; times += 1) {
        await storage.removeFromLog('l', [third, first, 'no position', '']);
        assert.deepEqual(await valuesIn(storage), left);
      }
      await storage.removeFromLog('other', await positionsIn(storage));
      assert.deepEqual(await valuesIn(storage), left);
      assert.deepEqual(await valuesIn(storage, 'other'), ['x']);
      await storage.removeFromLog('l', await positionsIn(storage));
      await storage.removeFromLog('l', []);
      assert.deepEqual(await valuesIn(storage), []);
    },
  },
  {
    name: 'logs: a position is not given again after its entry was removed',
    run: async ({ storage }) => {
      const seen = new Set<string>();
      for (let count = 0; count < 20; count += 1) {
        const { positions } = await storage.commit([append('same')]);
        for (const position of positions) seen.add(position);
        await storage.removeFromLog('l', positions);
      }
      assert.equal(seen.size, 20);
    },
  },
  {
    name: 'logs: names and values keep every character, and names are told apart by case',
    run: async ({ storage }) => {
      const value = `a\u0000b\n\u{1F600}\uFF5E${'x'.repeat(5000)}`;
      await storage.commit([append(value, 'L\u0000\u{1F600}'), append('', 'L'), append('lower', 'l')]);
      assert.deepEqual(await valuesIn(storage, 'L\u0000\u{1F600}'), [value]);
      assert.deepEqual(await valuesIn(storage, 'L'), ['']);
      assert.deepEqual(await valuesIn(storage, 'l'), ['lower']);
    },
  },
  {
    name: 'logs: appends of many at once are all there, once each',
    run: async ({ storage }) => {
      const values = Array.from({ length: 200 }, (_, at) => `entry ${at}`);
      await appendAtOnce(storage, values);
      assert.deepEqual([...(await valuesIn(storage))].sort(), [...values].sort());
    },
  },
  {
    name: 'logs: 25 operations on records leave room for 5 entries, and for no sixth',
    run: async ({ storage }) => {
      const puts = Array.from({ length: 25 }, (_, at) => {
        return { type: 'put', key: `k${at}`, value: 'v', if: 'absent' } as const;
      });
      const entries = ['1', '2', '3', '4', '5'].map((value) => append(value));
      await rejects(storage.commit([...puts, ...entries, append('6')]), 'limit');
      await storage.commit([...puts, ...entries]);
      assert.deepEqual(await valuesIn(storage), ['1', '2', '3', '4', '5']);
    },
  },
  {
    name: 'logs: a name, value, page or count of positions out of range is refused',
    run: async ({ storage }) => {
      await rejects(storage.commit([append('v', '')]), 'limit');
      await rejects(storage.commit([append('v', 'l'.repeat(1025))]), 'limit');
      await rejects(storage.commit([append('v'.repeat(300 * 1024 + 1))]), 'limit');
      await rejects(storage.commit([append('\ud800')]), 'limit');
      await rejects(storage.readLog('l', { limit: 0 }), 'limit');
      await rejects(storage.readLog('l', { limit: 1001 }), 'limit');
      await rejects(storage.removeFromLog('', ['1']), 'limit');
      await rejects(storage.removeFromLog('l', Array.from({ length: 1001 }, String)), 'limit');
    },
  },
  {
    name: 'logs: reads and removals of an aborted or closed storage are refused',
    run: async ({ storage }) => {
      const signal = AbortSignal.abort();
      await rejects(storage.readLog('l', { limit: 1 }, { signal }), 'aborted');
      await rejects(storage.removeFromLog('l', ['1'], { signal }), 'aborted');
      await storage.close();
      await rejects(storage.readLog('l', { limit: 1 }), 'closed');
      await rejects(storage.removeFromLog('l', ['1']), 'closed');
    },
  },
  {
    name: 'logs: entries and their removal are durable',
    needsDurability: true,
    run: async ({ storage, reopen }) => {
      await appendAtOnce(storage, ['1', '2', '3']);
      const [first] = await positionsIn(storage);
      await storage.removeFromLog('l', first === undefined ? [] : [first]);
      const left = await storage.readLog('l', { limit: 10 });
      const again = await reopen();
      assert.equal(left.length, 2);
      assert.deepEqual(await again.readLog('l', { limit: 10 }), left);
      const { positions } = await again.commit([append('4')]);
      assert.ok(!left.some(({ position }) => position === positions[0]));
    },
  },
  {
    name: 'two handles: entries that one appended are read and removed by the other',
    needsSecondHandle: true,
    run: async ({ storage, openAnother }) => {
      const other = await openAnother();
      await appendAtOnce(storage, ['1', '2']);
      await other.commit([append('3')]);
      assert.deepEqual([...(await valuesIn(other))].sort(), ['1', '2', '3']);
      await other.removeFromLog('l', await positionsIn(other));
      assert.deepEqual(await valuesIn(storage), []);
    },
  },
];
