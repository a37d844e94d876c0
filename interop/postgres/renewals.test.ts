/** Updates that move an expiry stay in their page (HOT), and a schema of an earlier release becomes one where they do. */
import type { Storage } from '@postern/ports';
import { finalizePostgresSchema, openPostgresStorage } from '@postern/storage-postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster } from './cluster.js';

const RECORDS = 400;
const ROUNDS = 12;
/** Of a commit: a token and its entry. */
const TOGETHER = 2;
/** About what a token's record has. */
const VALUE = 'x'.repeat(900);

let cluster: Cluster;
beforeAll(async () => {
  cluster = await createCluster();
});
afterAll(() => cluster.remove());

const at = (number: number) => Array.from({ length: TOGETHER }, (_, of) => `r/${number + of}`);

/** Renews every record, each with a new expiry. */
async function renewAll(storage: Storage, round: number): Promise<void> {
  for (let number = 0; number < RECORDS; number += TOGETHER) {
    await storage.commit(
      at(number).map((key, of) => ({
        type: 'put',
        key,
        value: VALUE,
        if: 'any',
        expiresAt: 1_000_000 * round + number + of,
      })),
    );
  }
}

async function updatesOf(schema: string): Promise<{ readonly all: number; readonly hot: number }> {
  const others = "backend_type = 'client backend' AND pid <> pg_backend_pid()";
  // A connection reports what it did when it ends.
  await expect.poll(() => cluster.query(`SELECT 1 FROM pg_stat_activity WHERE ${others}`)).toEqual([]);
  const [row] = await cluster.query(`SELECT n_tup_upd::integer AS updates, n_tup_hot_upd::integer AS hot
    FROM pg_stat_user_tables WHERE schemaname = '${schema}' AND relname = 'records'`);
  return { all: Number(row?.['updates']), hot: Number(row?.['hot']) };
}

/** Records that no entry leads to in time. */
const forgottenIn = (schema: string) =>
  cluster.query(`SELECT convert_from(r.key, 'UTF8') AS key FROM ${schema}.records r WHERE r.expires_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM ${schema}.record_expiries e WHERE e.key = r.key AND e.expires_at <= r.expires_at)`);

const entriesIn = (schema: string) =>
  cluster.query(`SELECT convert_from(key, 'UTF8') AS key, expires_at::integer AS at FROM ${schema}.record_expiries
    ORDER BY 2, 1`);

/** As a release before the table of expiries made it. */
const makeVersion1 = (schema: string) =>
  cluster.query(`DROP FUNCTION ${schema}.note_expiry CASCADE; DROP FUNCTION ${schema}.settle_expiries; DROP TABLE ${schema}.record_expiries;
    CREATE INDEX records_by_expiry ON ${schema}.records (expires_at, key) WHERE expires_at IS NOT NULL;
    ALTER TABLE ${schema}.records RESET (fillfactor); UPDATE ${schema}.schema_version SET version = 1`);

describe('renewals on PostgreSQL', () => {
  it('are HOT though each moves its expiry, and the table does not grow with them', async () => {
    const open = () => openPostgresStorage({ ...cluster.connection, schema: 'renewals' });
    const storage = await open();
    for (let round = 1; round <= ROUNDS; round += 1) await renewAll(storage, round);
    await storage.close();
    const { all, hot } = await updatesOf('renewals');
    expect(all).toBe(RECORDS * (ROUNDS - 1));
    expect(hot / all).toBeGreaterThan(0.9);
    const [size] = await cluster.query("SELECT pg_relation_size('renewals.records')::integer AS bytes");
    expect(Number(size?.['bytes']) / (RECORDS * VALUE.length)).toBeLessThan(2);
    const [index] = await cluster.query("SELECT pg_relation_size('renewals.record_expiries_pkey')::integer AS bytes");
    // One entry a record, however often it was renewed.
    expect(Number(index?.['bytes'])).toBeLessThan(100_000);
    expect(await forgottenIn('renewals')).toEqual([]);
  });

  it('leave an entry behind, which is moved when it is due, or removed', async () => {
    const storage = await openPostgresStorage({ ...cluster.connection, schema: 'entries' });
    const put = (key: string, expiresAt?: number) => ({ type: 'put', key, value: 'v', if: 'any', expiresAt }) as const;
    const expired = async (before: number) =>
      (await storage.listExpired('', before, { limit: 10 })).items.map(({ key, expiresAt }) => [key, expiresAt]);
    await storage.commit([put('a', 5), put('b', 5), put('c'), put('d', 7), put('e', 5)]);
    await storage.commit([put('a', 60), put('b'), put('c', 8), put('d', 3), put('e', 9)]);
    const refused = [put('a', 1), { type: 'put', key: 'none', value: 'v', if: 'present', expiresAt: 1 } as const];
    await expect(storage.commit(refused)).rejects.toMatchObject({ code: 'conflict' });
    const checks = ['absent', 'any'] as const;
    for (const check of checks) await storage.commit([{ type: 'check', key: 'none', if: check }]);
    expect((await entriesIn('entries')).map(({ key, at }) => `${key} ${at}`)).toEqual([
      'd 3',
      'a 5',
      'b 5',
      'e 5',
      'd 7',
      'c 8',
    ]);
    expect(await expired(10)).toEqual([
      ['d', 3],
      ['c', 8],
      ['e', 9],
    ]);
    expect((await entriesIn('entries')).map(({ key, at }) => `${key} ${at}`)).toEqual(['d 3', 'c 8', 'e 9', 'a 60']);
    await storage.commit([{ type: 'delete', key: 'd', if: 'present' }, put('b', 4)]);
    expect(await expired(100)).toEqual([
      ['b', 4],
      ['c', 8],
      ['e', 9],
      ['a', 60],
    ]);
    await storage.close();
  });

  it('never lose the entry of a record that comes while another is settled', async () => {
    const options = { ...cluster.connection, schema: 'races' };
    const storage = await openPostgresStorage(options);
    let isOver = false;
    const listing = Array.from({ length: 2 }, async () => {
      while (!isOver) await storage.listExpired('', 100, { limit: 10 });
    });
    // Few keys and few expiries, so that an entry that goes and one that comes are the same.
    const writing = Array.from({ length: 6 }, async (_, seed) => {
      for (let step = 0; step < 150; step += 1) {
        const number = (seed * 7 + step * 5) % 12;
        const key = `k${number % 3}`;
        const expiresAt = (step % 4) + 1;
        await storage.commit([
          number < 4 ? { type: 'delete', key, if: 'any' } : { type: 'put', key, value: 'v', if: 'any', expiresAt },
        ]);
      }
    });
    await Promise.all(writing);
    isOver = true;
    await Promise.all(listing);
    expect(await forgottenIn('races')).toEqual([]);
    await storage.close();
  });
});

describe('a schema of version 1', () => {
  const options = () => ({ ...cluster.connection, schema: 'former' });
  const put = (key: string, expiresAt: number) => ({ type: 'put', key, value: 'v', if: 'any', expiresAt }) as const;

  it('is used as it is until it is finalized, also by nodes that run meanwhile, and loses nothing', async () => {
    await (await openPostgresStorage(options())).close();
    await makeVersion1('former');
    const running = await openPostgresStorage(options());
    await running.commit([put('a', 5), put('b', 6)]);
    const expired = async () => (await running.listExpired('', 100, { limit: 10 })).items.map(({ key }) => key);
    expect(await expired()).toEqual(['a', 'b']);
    expect(await cluster.query('SELECT version FROM former.schema_version')).toEqual([{ version: 1 }]);
    let isOver = false;
    let commits = 0;
    const load = (async () => {
      for (; !isOver; commits += 1) await running.commit([put(`load ${commits}`, 1_000 + commits)]);
    })();
    await expect.poll(() => commits).toBeGreaterThan(20);
    await finalizePostgresSchema(options());
    await finalizePostgresSchema(options());
    const since = commits;
    await expect.poll(() => commits).toBeGreaterThan(since + 20);
    isOver = true;
    await load;
    await running.commit([put('b', 4)]);
    expect(await expired()).toEqual(['b', 'a']);
    expect(await forgottenIn('former')).toEqual([]);
    expect(await cluster.query('SELECT version FROM former.schema_version')).toEqual([{ version: 2 }]);
    await running.close();
  });
});
