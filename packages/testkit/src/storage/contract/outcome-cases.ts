/** Contract: after an unknown outcome, reading tells what happened, and a conditional retry can't apply it twice. */
import assert from 'node:assert/strict';
import type { Operation } from '@postern/ports';
import { createFaultStorage } from '../fault-storage.js';
import { type ContractDefinition, put, rejects } from './contract-case.js';

const creation: readonly Operation[] = [{ type: 'put', key: 'k', value: 'v', if: 'absent' }];

export const outcomeCases: readonly ContractDefinition[] = [
  {
    name: 'unknown outcome: a commit whose answer was lost is there, and its retry conflicts',
    run: async ({ storage }) => {
      const faulty = createFaultStorage(storage);
      faulty.failNextCommit('applied_unknown');
      await rejects(faulty.commit(creation), 'outcome_unknown');
      const record = await storage.get('k');
      assert.equal(record?.value, 'v');
      await rejects(faulty.commit(creation), 'conflict');
      assert.deepEqual(await storage.get('k'), record);
    },
  },
  {
    name: 'unknown outcome: a commit that was lost on the way is not there, and its retry applies',
    run: async ({ storage }) => {
      const faulty = createFaultStorage(storage);
      faulty.failNextCommit('lost_unknown');
      await rejects(faulty.commit(creation), 'outcome_unknown');
      assert.equal(await storage.get('k'), undefined);
      await faulty.commit(creation);
      assert.equal((await storage.get('k'))?.value, 'v');
    },
  },
  {
    name: 'unknown outcome: a commit delivered twice applies once when it names a version',
    run: async ({ storage }) => {
      const version = await put(storage, 'k', '1');
      const faulty = createFaultStorage(storage);
      faulty.failNextCommit('duplicate');
      const { versions } = await faulty.commit([{ type: 'put', key: 'k', value: '2', if: { version } }]);
      const record = await storage.get('k');
      assert.deepEqual([record?.value, record?.version], ['2', versions[0]]);
    },
  },
];
