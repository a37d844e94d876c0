/** Contract: what one handle on the data has acknowledged counts for another at once, as for another process. */
import assert from 'node:assert/strict';
import type { Storage } from '@postern/ports';
import { type ContractDefinition, put, rejects } from './contract-case.js';

const COMMITS = 20;

/** What each read of `k` answers. */
async function readsOf(storage: Storage): Promise<readonly (string | undefined)[]> {
  const single = await storage.get('k');
  const [many] = await storage.getMany(['k']);
  const page = await storage.list('k', { limit: 5, values: true });
  return [single?.value, many?.value, page.items[0]?.record?.value];
}

export const twoHandleCases: readonly ContractDefinition[] = [
  {
    name: 'two handles: a put and a delete through one are seen at once by every read through the other',
    needsSecondHandle: true,
    run: async ({ storage, openAnother }) => {
      const other = await openAnother();
      assert.deepEqual(await readsOf(other), [undefined, undefined, undefined]);
      for (const value of ['first', 'second']) {
        await put(storage, 'k', value);
        assert.deepEqual(await readsOf(other), [value, value, value]);
      }
      await put(other, 'k', 'third');
      assert.deepEqual(await readsOf(storage), ['third', 'third', 'third']);
      await storage.commit([{ type: 'delete', key: 'k', if: 'present' }]);
      assert.deepEqual(await readsOf(other), [undefined, undefined, undefined]);
    },
  },
  {
    name: 'two handles: a commit through one conflicts with a stale version that the other has read',
    needsSecondHandle: true,
    run: async ({ storage, openAnother }) => {
      const other = await openAnother();
      await put(storage, 'k', 'v');
      const stale = (await other.get('k'))?.version;
      assert.ok(stale !== undefined, 'the other handle sees the record');
      const current = await put(storage, 'k', 'v');
      for (const handle of [storage, other]) {
        await rejects(handle.commit([{ type: 'put', key: 'k', value: 'w', if: { version: stale } }]), 'conflict');
      }
      await other.commit([{ type: 'put', key: 'k', value: 'w', if: { version: current } }]);
      await rejects(storage.commit([{ type: 'delete', key: 'k', if: { version: current } }]), 'conflict');
    },
  },
  {
    name: 'two handles: no version is given twice to a key',
    needsSecondHandle: true,
    run: async ({ storage, openAnother }) => {
      const other = await openAnother();
      const seen = new Set<string>();
      for (let count = 0; count < COMMITS; count += 1) {
        for (const handle of [storage, other]) {
          seen.add(await put(handle, 'k', 'same'));
          await handle.commit([{ type: 'delete', key: 'k', if: 'any' }]);
        }
      }
      assert.equal(seen.size, 2 * COMMITS);
    },
  },
];
