/** What a database in trouble means to callers: nothing happened, or nobody knows; never a false success, never for ever. */
import { inspect } from 'node:util';
import type { Operation, Storage } from '@postern/ports';
import { openPostgresStorage } from '@postern/storage-postgres';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Cluster, createCluster, PASSWORD } from './cluster.js';
import { createProxy, type NetworkProxy } from './proxy.js';

const SECRET = 'a value that nobody may see';
const creation = (key: string): readonly Operation[] => [{ type: 'put', key, value: SECRET, if: 'absent' }];

let cluster: Cluster;
let direct: Storage;
let proxy: NetworkProxy;
let storage: Storage;
let turn = 0;
const key = () => `k/${turn}`;

beforeAll(async () => {
  cluster = await createCluster();
  direct = await openPostgresStorage(cluster.connection);
});
afterAll(async () => {
  await direct.close();
  await cluster.remove();
});
beforeEach(async () => {
  turn += 1;
  proxy = await createProxy(cluster.port);
  const bounds = { maxConnections: 1, statementTimeoutMs: 500, connectTimeoutMs: 500 };
  storage = await openPostgresStorage({ ...cluster.connection, ...bounds, port: proxy.port });
});
afterEach(async () => {
  proxy.set('open');
  await storage.close();
  await proxy.close();
});

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => error,
  );

describe('a commit', () => {
  it('whose answer is lost is unknown, is there, and its retry conflicts', async () => {
    await storage.get('warm');
    proxy.set('cut_answers');
    const failure = await failureOf(storage.commit(creation(key())));
    expect(failure).toMatchObject({ name: 'StorageError', code: 'outcome_unknown' });
    proxy.set('open');
    await expect.poll(async () => (await direct.get(key()))?.value).toBe(SECRET);
    await expect(storage.commit(creation(key()))).rejects.toMatchObject({ code: 'conflict', keys: [key()] });
    const seen = inspect([failure, storage], { depth: 12, showHidden: true });
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain(PASSWORD);
    expect(seen).not.toContain(encodeURIComponent(PASSWORD));
  });

  it('that is lost on the way is unknown too, and can be made again', async () => {
    await storage.get('warm');
    proxy.set('cut_questions');
    await expect(storage.commit(creation(key()))).rejects.toMatchObject({ code: 'outcome_unknown' });
    proxy.set('open');
    expect(await direct.get(key())).toBeUndefined();
    await storage.commit(creation(key()));
  });

  it('that finds no connection is unavailable: nothing was sent', async () => {
    const fresh = await openPostgresStorage({ ...cluster.connection, port: proxy.port, connectTimeoutMs: 400 });
    const held = fresh.get('hold the only idle connection');
    proxy.set('cut_questions');
    await held.catch(() => undefined);
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => failureOf(fresh.commit(creation(key())))));
    expect(outcomes.some((outcome) => inspect(outcome).includes('unavailable'))).toBe(true);
    proxy.set('open');
    expect(await direct.get(key())).toBeUndefined();
    await fresh.close();
  });

  it('that the database never answers is unknown within a bound', async () => {
    await storage.get('warm');
    proxy.set('silent');
    const start = performance.now();
    await expect(storage.commit(creation(key()))).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(performance.now() - start).toBeLessThan(4_000);
  });

  it('that waits for another’s lock too long is unavailable, was rolled back, and can be made again', async () => {
    await storage.commit(creation(key()));
    const other = new Client(cluster.connection);
    await other.connect();
    await other.query('BEGIN');
    await other.query({ text: 'SELECT FROM postern.records WHERE key = $1 FOR UPDATE', values: [Buffer.from(key())] });
    const blocked: readonly Operation[] = [
      { type: 'put', key: `${key()}/beside`, value: 'v', if: 'absent' },
      { type: 'delete', key: key(), if: 'present' },
    ];
    await expect(storage.commit(blocked)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await direct.get(`${key()}/beside`)).toBeUndefined();
    await other.query('ROLLBACK');
    await other.end();
    await storage.commit(blocked);
    expect(await direct.get(key())).toBeUndefined();
  });

  it('whose connection the database ends meanwhile is unknown: the end may have come after the commit', async () => {
    const lock = new Client(cluster.connection);
    await lock.connect();
    await lock.query('BEGIN');
    await lock.query('LOCK TABLE postern.records');
    const failure = failureOf(storage.commit(creation(key())));
    await expect
      .poll(() => cluster.query("SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'relation'"))
      .toHaveLength(1);
    await cluster.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND locktype = 'relation'`);
    expect(await failure).toMatchObject({ code: 'outcome_unknown', cause: { code: '57P01' } });
    await lock.query('ROLLBACK');
    await lock.end();
    await storage.commit(creation(key()));
  });

  it('that is aborted while it waits for a connection is not sent', async () => {
    const controller = new AbortController();
    const lock = new Client(cluster.connection);
    await lock.connect();
    await lock.query('BEGIN');
    await lock.query('LOCK TABLE postern.records');
    const first = failureOf(storage.get('occupies the one connection'));
    const second = failureOf(storage.commit(creation(key()), { signal: controller.signal }));
    controller.abort();
    expect(await second).toMatchObject({ code: 'aborted' });
    await lock.query('ROLLBACK');
    await lock.end();
    expect(await first).toBe('none');
    expect(await direct.get(key())).toBeUndefined();
  });
});

describe('a read', () => {
  it('is unavailable when the connection breaks, when no answer comes and when the pool has none to give', async () => {
    await storage.get('warm');
    proxy.set('cut_answers');
    await expect(storage.get('k')).rejects.toMatchObject({ code: 'unavailable' });
    proxy.set('open');
    await storage.get('warm');
    proxy.set('silent');
    const start = performance.now();
    const calls = [storage.get('k'), storage.getMany(['k']), storage.list('', { limit: 1 })];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { name: 'StorageError', code: 'unavailable' } });
    }
    expect(performance.now() - start).toBeLessThan(6_000);
  });

  it('works again once the database does, through the same storage', async () => {
    proxy.set('cut_questions');
    await failureOf(storage.get('k'));
    proxy.set('open');
    expect(await storage.get('k')).toBeUndefined();
  });
});
