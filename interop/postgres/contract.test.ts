/** The whole storage contract, with its concurrency, unknown outcomes and cancellation, on a real PostgreSQL. */
import { openPostgresStorage } from '@postern/storage-postgres';
import { storageContract } from '@postern/testkit';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { contractStorages } from '../contract-storages.js';
import { type Cluster, createCluster } from './cluster.js';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await createCluster();
});
afterAll(() => cluster.remove());

describe('PostgreSQL storage keeps the storage contract', () => {
  const storages = contractStorages((schema) => openPostgresStorage({ ...cluster.connection, schema }));
  it.each(storageContract({ durable: true, ...storages }))('$name', ({ run }) => run());
});
