/** Locks of commits: no other user of the database can take one, and no queue of readers keeps a writer out for ever. */
import { openPostgresStorage } from '@postern/storage-postgres';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster } from './cluster.js';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await createCluster();
});
afterAll(() => cluster.remove());

describe('V8: another user who may connect', () => {
  it('holds every advisory lock that it can see or compute, and stops neither commits nor a start', async () => {
    const options = { ...cluster.connection, schema: 'locks' };
    const storage = await openPostgresStorage(options);
    await cluster.query("CREATE ROLE stranger LOGIN PASSWORD 's'");
    const stranger = new Client({ ...cluster.connection, user: 'stranger', password: 's' });
    stranger.on('error', () => undefined);
    await stranger.connect();
    const seen = new Set<string>();
    // What the stranger can know of locks, while many commits of one role are under way.
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const { rows } = await stranger.query<{ lock: string }>(
          "SELECT classid || ' ' || objid AS lock FROM pg_locks WHERE locktype = 'advisory'",
        );
        for (const { lock } of rows) seen.add(lock);
      }
    })();
    for (let round = 0; round < 50; round += 1) {
      await Promise.all([
        storage.commit([{ type: 'put', key: 'role', value: `${round}`, if: 'any' }]),
        ...Array.from({ length: 8 }, (_, at) =>
          storage.commit([
            { type: 'check', key: 'role', if: 'any' },
            { type: 'put', key: `token ${round} ${at}`, value: 'v', if: 'absent' },
          ]),
        ),
      ]);
    }
    isOver = true;
    await watching;
    expect([...seen]).toEqual([]);
    await stranger.query('SELECT pg_advisory_lock(1347638350, 1396918349)');
    for (const table of ['records', 'log_entries', 'schema_version']) {
      await expect(stranger.query(`BEGIN; LOCK TABLE locks.${table}`)).rejects.toMatchObject({ code: '42501' });
      await stranger.query('ROLLBACK');
    }
    await (await openPostgresStorage({ ...options, schema: 'beside' })).close();
    await stranger.end();
    await storage.close();
  });
});

describe('a writer', () => {
  it('gets its turn while checks of the same record never end', async () => {
    const options = { ...cluster.connection, schema: 'turns' };
    const [readers, writer] = await Promise.all([openPostgresStorage(options), openPostgresStorage(options)]);
    await writer.commit([{ type: 'put', key: 'role', value: '0', if: 'absent' }]);
    let isOver = false;
    let checks = 0;
    const load = Array.from({ length: 10 }, async (_, of) => {
      for (let at = 0; !isOver; at += 1) {
        await readers.commit([
          { type: 'check', key: 'role', if: 'present' },
          { type: 'put', key: `t ${of} ${at}`, value: 'v', if: 'absent' },
        ]);
        checks += 1;
      }
    });
    const startedAt = performance.now();
    // On a slow machine 20 writes are over before there were many checks: neither side may keep the other out.
    let writes = 0;
    for (; writes < 20 || checks <= 100; writes += 1) {
      await writer.commit([{ type: 'put', key: 'role', value: `${writes}`, if: 'present' }]);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    isOver = true;
    await Promise.all(load);
    console.log(`${writes} writes among ${checks} checks of one record: ${seconds.toFixed(1)} s`);
    expect(checks).toBeGreaterThan(100);
    await Promise.all([readers.close(), writer.close()]);
  }, 60_000);

  it('commits alike whatever the isolation that the database defaults to', async () => {
    for (const isolation of ['repeatable read', 'serializable']) {
      await cluster.query(`ALTER ROLE postern SET default_transaction_isolation = '${isolation}'`);
      const storage = await openPostgresStorage({ ...cluster.connection, schema: 'isolated' });
      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, (_, at) =>
          storage.commit([
            { type: 'put', key: `first ${isolation}`, value: `${at}`, if: 'absent' },
            { type: 'check', key: 'denied', if: 'absent' },
          ]),
        ),
      );
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
      }
      await storage.close();
    }
    await cluster.query('ALTER ROLE postern RESET default_transaction_isolation');
  });
});
