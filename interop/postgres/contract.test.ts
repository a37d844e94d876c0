/** The whole storage contract, with its concurrency, unknown outcomes and cancellation, on a real PostgreSQL. */
import { openPostgresStorage } from '@postern/storage-postgres';
import { storageContract } from '@postern/testkit';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Cluster, createCluster } from './cluster.js';

let cluster: Cluster;
let schemas = 0;

beforeAll(async () => {
  cluster = await createCluster();
});
afterAll(() => cluster.remove());

describe('PostgreSQL storage keeps the storage contract', () => {
  const create = async () => {
    schemas += 1;
    const schema = `case_${schemas}`;
    const open = () => openPostgresStorage({ ...cluster.connection, schema });
    let storage = await open();
    return {
      storage,
      reopen: async () => {
        await storage.close();
        storage = await open();
        return storage;
      },
      destroy: () => storage.close(),
    };
  };
  // The cases run one after the other: the last schema is that of the case.
  const openAnother = () => openPostgresStorage({ ...cluster.connection, schema: `case_${schemas}` });
  it.each(storageContract({ durable: true, create, openAnother }))('$name', ({ run }) => run());
});
