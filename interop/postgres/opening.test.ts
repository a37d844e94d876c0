/** The opening: one of several nodes makes the tables, once, and what stands in the way is named with its remedy. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgresStorage, type PostgresStorageOptions } from '@postern/storage-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster, PASSWORD } from './cluster.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await createCluster();
});
afterAll(() => cluster.remove());

async function refusalOf(options: PostgresStorageOptions) {
  const outcome = await openPostgresStorage({ ...cluster.connection, ...options }).then(
    (storage) => storage.close(),
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw new Error('it was opened');
  expect(outcome.message).not.toContain(PASSWORD);
  return outcome;
}

describe('opening', () => {
  it('by eight nodes at once makes the tables once, and all can work', async () => {
    const options = { ...cluster.connection, schema: 'race', maxConnections: 2 };
    const nodes = await Promise.all(Array.from({ length: 8 }, () => openPostgresStorage(options)));
    await Promise.all(nodes.map((node, at) => node.commit([{ type: 'put', key: `${at}`, value: 'v', if: 'absent' }])));
    expect((await nodes[0]?.list('', { limit: 20 }))?.items).toHaveLength(8);
    expect(await cluster.query('SELECT version FROM race.schema_version')).toEqual([{ version: 2 }]);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('needs no right to make anything once the tables are there', async () => {
    await cluster.query(`
      CREATE ROLE worker LOGIN PASSWORD 'w';
      CREATE SCHEMA workshop AUTHORIZATION worker`);
    const options = { ...cluster.connection, schema: 'workshop', user: 'worker', password: 'w' };
    await (await openPostgresStorage(options)).close();
    await cluster.query('REVOKE CREATE ON SCHEMA workshop FROM worker');
    const storage = await openPostgresStorage(options);
    await storage.commit([{ type: 'put', key: 'k', value: 'v', if: 'absent' }]);
    await storage.close();
  });

  it('refuses a user without the right to create what is missing, and says what to run', async () => {
    await cluster.query("CREATE ROLE guest LOGIN PASSWORD 'g'");
    const refusal = await refusalOf({ user: 'guest', password: 'g', schema: 'guests' });
    expect(refusal).toMatchObject({ name: 'PostgresOpenError', code: 'denied' });
    expect(refusal.message).toContain('CREATE SCHEMA guests AUTHORIZATION');
  });

  it.each([
    ['refused', 'a wrong password', { password: 'another' }],
    ['refused', 'a database that is not there', { database: 'nothing' }],
    ['unusable', 'TLS, which this server does not speak', { tls: true }],
    ['unusable', 'a password file that is not there', { password: undefined, passwordFile: '/nowhere/password' }],
  ] as const)('is %s for %s', async (code, _name, options) => {
    expect(await refusalOf(options)).toMatchObject({ name: 'PostgresOpenError', code });
  });

  it('reads the password from a file, at each connection', async () => {
    const passwordFile = join(cluster.data, '..', 'worker-password');
    const { password: _password, ...rest } = cluster.connection;
    writeFileSync(passwordFile, `${PASSWORD}\n`);
    await (await openPostgresStorage({ ...rest, passwordFile })).close();
    writeFileSync(passwordFile, 'another');
    await expect(openPostgresStorage({ ...rest, passwordFile })).rejects.toMatchObject({ code: 'refused' });
  });

  it('calls a password function for each new connection', async () => {
    let calls = 0;
    let current = PASSWORD;
    const password = async () => {
      calls += 1;
      return current;
    };
    const options = { ...cluster.connection, password, schema: 'tokens', maxConnections: 2 };
    const storage = await openPostgresStorage(options);
    expect(calls).toBe(1);
    await Promise.all([storage.get('a'), storage.list('', { limit: 1 })]);
    expect(calls).toBe(2);
    await storage.close();
    current = 'expired';
    expect(await refusalOf(options)).toMatchObject({ name: 'PostgresOpenError', code: 'refused' });
  });

  it('refuses tables of a newer release and those of another program, and leaves them as they are', async () => {
    await (await openPostgresStorage({ ...cluster.connection, schema: 'newer' })).close();
    await cluster.query('UPDATE newer.schema_version SET version = 3');
    expect(await refusalOf({ schema: 'newer' })).toMatchObject({ code: 'newer_schema' });
    await cluster.query('CREATE SCHEMA foreigner; CREATE TABLE foreigner.records (id integer)');
    expect(await refusalOf({ schema: 'foreigner' })).toMatchObject({ code: 'foreign_schema' });
    await cluster.query('CREATE SCHEMA other; CREATE TABLE other.schema_version (name text)');
    expect(await refusalOf({ schema: 'other' })).toMatchObject({ code: 'foreign_schema' });
    const tables = await cluster.query("SELECT 1 FROM pg_tables WHERE schemaname IN ('foreigner', 'other')");
    expect(tables).toHaveLength(2);
  });

  it('replaces the commit of nodes of an earlier version, which took advisory locks', async () => {
    const options = { ...cluster.connection, schema: 'older' };
    await (await openPostgresStorage(options)).close();
    await cluster.query(`DROP FUNCTION older.commit_rows;
      CREATE FUNCTION older.commit_operations(locks bigint[], shared boolean[], kinds text[], keys bytea[],
        conditions bigint[], new_values bytea[], expiries bigint[], OUT failed integer[], OUT versions bigint[])
        LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''advisory locks''; END'`);
    const storage = await openPostgresStorage(options);
    await storage.commit([{ type: 'put', key: 'a', value: 'new', if: 'absent' }]);
    const older = (condition: number) =>
      cluster.query(`SELECT failed, versions FROM older.commit_operations('{1}', '{f}', '{put}', ARRAY['a'::bytea],
        '{${condition}}', ARRAY['old'::bytea], '{NULL}')`);
    expect(await older(-2)).toEqual([{ failed: [1], versions: null }]);
    expect(await older(-1)).toEqual([{ failed: [], versions: [expect.any(String)] }]);
    expect((await storage.get('a'))?.value).toBe('old');
    await storage.close();
  });

  it('refuses a schema whose parts are missing, and says which', async () => {
    await (await openPostgresStorage({ ...cluster.connection, schema: 'torn' })).close();
    await cluster.query('DROP TABLE torn.record_expiries; ALTER TABLE torn.records DROP COLUMN version');
    const refusal = await refusalOf({ schema: 'torn' });
    expect(refusal).toMatchObject({ code: 'broken_schema' });
    expect(refusal.message).toContain(
      'records.version bigint not null; unique index on record_expiries (expires_at, key)',
    );
  });

  it('refuses a user whose transactions only read, and says what to run', async () => {
    await cluster.query('ALTER ROLE worker SET default_transaction_read_only = on');
    const refusal = await refusalOf({ schema: 'workshop', user: 'worker', password: 'w' });
    expect(refusal).toMatchObject({ code: 'unusable' });
    expect(refusal.message).toContain('default_transaction_read_only');
  });

  it('refuses a standby, also one that a connection finds later', async () => {
    const storage = await openPostgresStorage(cluster.connection);
    const standby = join(cluster.data, 'standby.signal');
    await cluster.stop('fast');
    writeFileSync(standby, '');
    await cluster.start();
    await expect(storage.get('k')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await refusalOf({})).toMatchObject({ code: 'replica' });
    await cluster.stop('fast');
    rmSync(standby);
    await cluster.start();
    expect(await storage.get('k')).toBeUndefined();
    await storage.close();
  });
});

describe('what the database does', () => {
  it('follows the expired, and the page, not the table: no scan, no sort, whatever the size', async () => {
    const open = () => openPostgresStorage({ ...cluster.connection, schema: 'plans' });
    await (await open()).close();
    await cluster.query(`
      INSERT INTO plans.records (key, value, version, expires_at)
        SELECT convert_to('t/' || lpad(n::text, 6, '0'), 'UTF8'), 'v', nextval('plans.record_version'), 1000000 + n
        FROM generate_series(1, 30000) n;
      UPDATE plans.records SET expires_at = 5 WHERE key < convert_to('t/000011', 'UTF8')`);
    await cluster.query('VACUUM ANALYZE plans.records, plans.record_expiries');
    const before = await readsOf(cluster);
    const storage = await open();
    for (let count = 0; count < 8; count += 1) {
      expect((await storage.listExpired('t/', 10, { limit: 100 })).items).toHaveLength(10);
      expect((await storage.list('t/', { after: 't/020000', limit: 50, values: true })).items).toHaveLength(50);
      expect((await storage.list('t/02', { limit: 50 })).items).toHaveLength(50);
      await storage.getMany(['t/000001', 't/029999', 'none']);
    }
    await storage.close();
    const after = await readsOf(cluster);
    expect(after.scans).toBe(before.scans);
    // Once to settle what is due, once to list it.
    expect(after.byExpiry - before.byExpiry).toBeLessThan(8 * 30);
    expect(after.byKey - before.byKey).toBeLessThan(8 * 130);
  });
});

/** Statistics of the server: those of a connection are in them once it has ended. */
async function readsOf({ query }: Cluster) {
  const others = "backend_type = 'client backend' AND pid <> pg_backend_pid()";
  await expect.poll(() => query(`SELECT 1 FROM pg_stat_activity WHERE ${others}`)).toEqual([]);
  const [table] = await query(
    "SELECT seq_scan::integer AS scans FROM pg_stat_user_tables WHERE schemaname = 'plans' AND relname = 'records'",
  );
  const indexes = await query(
    "SELECT indexrelname AS name, idx_tup_read::integer AS reads FROM pg_stat_user_indexes WHERE schemaname = 'plans'",
  );
  const of = (name: string) => Number(indexes.find((index) => index['name'] === name)?.['reads']);
  return { scans: Number(table?.['scans']), byExpiry: of('record_expiries_pkey'), byKey: of('records_pkey') };
}
