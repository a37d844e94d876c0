/** The storage on a pool of the host's own: the whole contract, though the host reads numbers its own way and uses the pool, too. */
import { storageContract } from '@postern/testkit';
import { type PoolConfig, types } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractStorages } from '../contract-storages.js';
import { type Cluster, createCluster } from './cluster.js';

// Below, what the pages show.

// #region own-pool
import { openPostgresStorage } from '@postern/storage-postgres';
import { Pool } from 'pg';

// #endregion

let cluster: Cluster;
let pool: Pool;

/** As many hosts have it: every number a JavaScript number, booleans as texts of their own. */
const hostTypes: NonNullable<PoolConfig['types']> = {
  getTypeParser: (id: number) =>
    id === 20 ? Number : id === 16 ? (text: string) => `is ${text}` : types.getTypeParser(id),
};

beforeAll(async () => {
  cluster = await createCluster();
  pool = new Pool({ ...cluster.connection, max: 4, types: hostTypes });
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await cluster.remove();
});

describe('PostgreSQL storage on a pool of the host', () => {
  it('leaves the pool open, and its tables stand in their schema', async () => {
    const settings = cluster.connection;
    // #region own-pool
    const pool = new Pool({ ...settings, max: 20 });
    pool.on('error', (error) => console.error(error)); // an idle connection broke; the pool has replaced it

    const storage = await openPostgresStorage({ pool, schema: 'postern' });
    await storage.commit([{ type: 'put', key: 'greeting', value: 'hello', if: 'absent' }]);
    await storage.close(); // waits for calls under way; the pool stays open
    const { rows } = await pool.query('SELECT count(*)::integer AS records FROM postern.records');
    // #endregion
    expect(rows).toEqual([{ records: 1 }]);
    await pool.end();
  });

  it('leaves a session as it was, for the host', async () => {
    const storage = await openPostgresStorage({ pool, schema: 'shared' });
    await storage.commit([{ type: 'put', key: 'k', value: 'v', if: 'any' }]);
    await storage.close();
    const { rows } = await pool.query(
      "SELECT name FROM pg_settings WHERE source = 'session' AND name <> 'application_name'",
    );
    expect(rows.map(({ name }) => name).filter((name: string) => /timeout|search_path|read_only/.test(name))).toEqual(
      [],
    );
  });

  it('names why a pool leads nowhere', async () => {
    const nowhere = new Pool({ ...cluster.connection, database: 'missing' });
    await expect(openPostgresStorage({ pool: nowhere })).rejects.toMatchObject({
      name: 'PostgresOpenError',
      code: 'refused',
    });
    await nowhere.end();
  });

  const storages = contractStorages((schema) => openPostgresStorage({ pool, schema }));
  it.each(storageContract({ durable: true, ...storages }))('$name', ({ run }) => run());
});
