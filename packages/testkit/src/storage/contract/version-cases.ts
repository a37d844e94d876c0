/** Contract: a version changes on every put and is never given to the same key again. */
import assert from 'node:assert/strict';
import { type ContractDefinition, put, rejects } from './contract-case.js';

export const versionCases: readonly ContractDefinition[] = [
  {
    name: 'versions: every put changes the version, also one of the same value',
    run: async ({ storage }) => {
      const seen = new Set<string>();
      for (let count = 0; count < 30; count += 1) seen.add(await put(storage, 'k', 'same'));
      assert.equal(seen.size, 30);
    },
  },
  {
    name: 'versions: reads, checks, conflicts and changes of other keys leave a version as it is',
    run: async ({ storage }) => {
      const version = await put(storage, 'k', 'v');
      await put(storage, 'other', 'v');
      await storage.commit([{ type: 'check', key: 'k', if: { version } }]);
      await rejects(storage.commit([{ type: 'put', key: 'k', value: 'w', if: 'absent' }]), 'conflict');
      assert.equal((await storage.get('k'))?.version, version);
      assert.equal((await storage.getMany(['k']))[0]?.version, version);
    },
  },
  {
    name: 'versions: a key deleted and re-created never meets a version it had',
    run: async ({ storage }) => {
      const seen = new Set<string>();
      for (let count = 0; count < 30; count += 1) {
        seen.add(await put(storage, 'k', 'same'));
        await storage.commit([{ type: 'delete', key: 'k', if: 'present' }]);
      }
      assert.equal(seen.size, 30);
    },
  },
  {
    name: 'versions: what was read before a deletion can’t be written over what came after it',
    run: async ({ storage }) => {
      const stale = await put(storage, 'k', 'v');
      await storage.commit([{ type: 'delete', key: 'k', if: 'present' }]);
      await rejects(storage.commit([{ type: 'put', key: 'k', value: 'w', if: { version: stale } }]), 'conflict');
      await put(storage, 'k', 'v');
      await rejects(storage.commit([{ type: 'put', key: 'k', value: 'w', if: { version: stale } }]), 'conflict');
      await rejects(storage.commit([{ type: 'delete', key: 'k', if: { version: stale } }]), 'conflict');
      assert.equal((await storage.get('k'))?.value, 'v');
    },
  },
  {
    name: 'versions: reopening repeats none, and keeps those of the records',
    needsDurability: true,
    run: async ({ storage, reopen }) => {
      const kept = await put(storage, 'kept', 'v');
      const seen = new Set<string>();
      let current = storage;
      for (let count = 0; count < 4; count += 1) {
        seen.add(await put(current, 'k', 'same'));
        await current.commit([{ type: 'delete', key: 'k', if: 'present' }]);
        current = await reopen();
      }
      assert.equal(seen.size, 4);
      assert.equal((await current.get('kept'))?.version, kept);
      await current.commit([{ type: 'put', key: 'kept', value: 'w', if: { version: kept } }]);
    },
  },
];
