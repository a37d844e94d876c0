/** The whole storage contract, with its concurrency, unknown outcomes and cancellation, on a real PostgreSQL. */
import { storageContract } from '@postern/testkit';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Cluster, contractStorages, createCluster } from './cluster.js';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await createCluster();
});
afterAll(() => cluster.remove());

describe('PostgreSQL storage keeps the storage contract', () => {
  const storages = contractStorages(() => cluster.connection);
  it.each(storageContract({ durable: true, ...storages }))('$name', ({ run }) => run());
});
