/** Servers that count together through the database: rates (WIRE-29), rejected proofs (WIRE-28) and signed requests that were used (STS-16). */

import { createSharedRateLimiter } from '@postern/http';
import { type RateLimits, systemClock } from '@postern/ports';
import { createServer, type Log, type PosternServer, type ServerOptions } from '@postern/server';
import {
  openPostgresRates,
  openPostgresStorage,
  type PostgresPool,
  type PostgresPoolClient,
} from '@postern/storage-postgres';
import { createFakeCloud } from '@postern/testkit';
import { Pool, type PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Cluster, createCluster } from './cluster.js';
import { createProxy } from './proxy.js';

const ENDS: (() => unknown)[] = [];
const LIMITS: RateLimits = { perSecond: 10, burst: 20 };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await createCluster();
});
afterEach(async () => {
  for (const end of ENDS.splice(0).reverse()) await end();
});
afterAll(() => cluster.remove());

/** The schema, which the storage makes. */
async function makeSchema(schema: string): Promise<void> {
  await (await openPostgresStorage({ ...cluster.connection, schema })).close();
}

function openHost(schema: string, port = cluster.port) {
  const rates = openPostgresRates({ ...cluster.connection, port, schema });
  ENDS.push(() => rates.close());
  const limiter = createSharedRateLimiter(systemClock, rates);
  return {
    ...limiter,
    rates,
    async through(tries: number, key: string) {
      let allowed = 0;
      for (let at = 0; at < tries; at += 1) allowed += (await limiter.take(key, 1, LIMITS)).allowed ? 1 : 0;
      return allowed;
    },
  };
}

describe('two limiters on one database', () => {
  it('make its table together', async () => {
    for (const schema of ['made1', 'made2', 'made3', 'made4', 'made5']) {
      await makeSchema(schema);
      const hosts = Array.from({ length: 6 }, () => openHost(schema));
      await Promise.all(hosts.map((host) => host.exchange()));
    }
  });

  it('refuse a peer that one of them refused, and know nothing of one that behaves', async () => {
    await makeSchema('limiters');
    const [a, b] = [openHost('limiters'), openHost('limiters')];
    // Both find no table.
    await Promise.all([a.exchange(), b.exchange()]);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await a.through(40, 'login 192.0.2.1')).toBe(20);
    expect(await a.through(1, 'login 192.0.2.2')).toBe(1);
    await a.exchange();
    await b.exchange();
    expect(await b.through(40, 'login 192.0.2.1')).toBeLessThanOrEqual(4);
    expect(await b.through(40, 'login 192.0.2.3')).toBe(20);
    const rows = await cluster.query("SELECT convert_from(key, 'UTF8') AS key FROM limiters.rates ORDER BY key");
    expect(rows).toEqual([{ key: 'login 192.0.2.1' }]);
  });

  it('count exactly what both tell at the same time, and forgive what would take more than a minute', async () => {
    await makeSchema('together');
    const hosts = [openHost('together'), openHost('together'), openHost('together')];
    const keys = Array.from({ length: 200 }, (_, at) => `peer ${at}`);
    const limits = { perSecond: 0.001, burst: 1_000 };
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(
        hosts.map(({ rates }, at) => {
          const told = keys.map((key) => ({ key, cost: 1, limits }));
          return rates.exchange(at % 2 === 0 ? told : told.reverse());
        }),
      );
    }
    const held = await hosts[0]?.rates.exchange(keys.map((key) => ({ key, cost: 0, limits })));
    expect(held).toHaveLength(keys.length);
    for (const { tokens } of held ?? []) expect(tokens).toBeCloseTo(940, 0);
    const [owed] = (await hosts[0]?.rates.exchange([{ key: 'debtor', cost: 5_000, limits: LIMITS }])) ?? [];
    expect(owed?.tokens).toBe(-600);
    const [returned] = (await hosts[1]?.rates.exchange([{ key: 'debtor', cost: -5_000, limits: LIMITS }])) ?? [];
    expect(returned?.tokens).toBe(20);
  });

  it('leave no row of a bucket that is full again', async () => {
    await makeSchema('swept');
    const { rates } = openHost('swept');
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    ENDS.push(() => vi.restoreAllMocks());
    await rates.exchange([
      { key: 'soon full', cost: 1, limits: { perSecond: 1_000, burst: 1 } },
      { key: 'empty', cost: 20, limits: LIMITS },
    ]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    await rates.exchange([]);
    expect(await cluster.query("SELECT convert_from(key, 'UTF8') AS key FROM swept.rates")).toEqual([{ key: 'empty' }]);
  });

  it('update rows in place: the table does not grow with the calls', async () => {
    await makeSchema('hot');
    const { rates } = openHost('hot');
    const told = Array.from({ length: 100 }, (_, at) => ({ key: `peer ${at}`, cost: 0.01, limits: LIMITS }));
    for (let round = 0; round < 100; round += 1) await rates.exchange(told);
    // A session tells its figures with the first statement after a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await rates.exchange(told);
    const [figures] = await cluster.query(
      "SELECT n_tup_hot_upd::float / n_tup_upd AS hot FROM pg_stat_user_tables WHERE schemaname = 'hot' AND relname = 'rates'",
    );
    expect(Number(figures?.['hot'])).toBeGreaterThan(0.9);
    const [size] = await cluster.query("SELECT pg_relation_size('hot.rates') AS bytes");
    expect(Number(size?.['bytes'])).toBeLessThan(200_000);
  });
});

/** Two servers, a cloud that both ask, and callers whose addresses a proxy tells. */
async function openFleet(
  schema: string,
  { ratePort = cluster.port, pool }: { ratePort?: number; pool?: PostgresPool } = {},
) {
  const cloud = createFakeCloud({ clock: systemClock });
  let asked = 0;
  const callerIdentity = {
    send: (...given: Parameters<typeof cloud.sts.source.send>) => {
      asked += 1;
      return cloud.sts.source.send(...given);
    },
  };
  const lines: string[] = [];
  const log: Log = (_level, message) => lines.push(message);

  async function open(options: Partial<ServerOptions> = {}): Promise<PosternServer> {
    const rates = openPostgresRates({ ...cluster.connection, port: ratePort, schema });
    const storage = await openPostgresStorage(
      pool === undefined ? { ...cluster.connection, schema } : { pool, schema },
    );
    const server = await createServer({
      storage,
      provider: { ...cloud, callerIdentity, builtInCertificates: cloud.defaultCertificates() },
      audit: { record: () => undefined },
      auth: { refuseReplays: true },
      trustedProxies: ['127.0.0.1'],
      loginRate: { perSecond: 5, burst: 20 },
      rateExchange: rates,
      log,
      ...options,
    });
    ENDS.push(async () => {
      await server.close(1_000);
      await rates.close();
      await storage.close();
    });
    return server;
  }

  async function login({ url }: PosternServer, peer: string, fields: object): Promise<number> {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': peer };
    const response = await fetch(`${url}/v1/auth/cloud/login`, {
      method: 'POST',
      body: JSON.stringify(fields),
      headers,
    });
    await response.text();
    return response.status;
  }

  async function writeRoles({ method }: PosternServer): Promise<void> {
    const asHost = { requestId: 'r', peerAddress: undefined, operation: 'role.write' } as const;
    const bob = cloud.createUser({ name: 'Bob' });
    const iam = { auth_type: 'iam', bound_iam_principal_arn: [bob.arn] };
    await method.handleAsHost({ ...asHost, params: { role: 'bob' }, fields: iam });
    await method.handleAsHost({
      ...asHost,
      params: { role: 'web' },
      fields: { auth_type: 'ec2', bound_ami_id: 'ami-1' },
    });
  }

  const key = () =>
    cloud.sts.issueAccessKey(
      cloud.principal(`arn:aws:iam::${cloud.ownAccountId}:user/Bob`) ?? cloud.createUser({ name: 'Bob' }),
    );
  return {
    open,
    login,
    writeRoles,
    lines,
    asked: () => asked,
    signed: () => ({ role: 'bob', ...cloud.sts.signLogin({ credentials: key() }) }),
    document: () => ({ role: 'web', pkcs7: cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048 }),
  };
}

describe('two servers on one database', () => {
  it('W7: rejected proofs of a peer cost one count of questions to STS, whichever server they ask', async () => {
    const fleet = await openFleet('proofs');
    const [a, b] = [await fleet.open(), await fleet.open()];
    await fleet.writeRoles(a);
    const forged = () => {
      const fields = fleet.signed();
      return {
        ...fields,
        iam_request_headers: { ...Object(fields.iam_request_headers), 'X-Amz-Date': '20200101T000000Z' },
      };
    };
    const statuses = await Promise.all(Array.from({ length: 30 }, () => fleet.login(a, '192.0.2.1', forged())));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10);
    const asked = fleet.asked();
    expect(asked).toBeLessThanOrEqual(12);
    // Within two exchanges the other server knows.
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    const later = await Promise.all(Array.from({ length: 10 }, () => fleet.login(b, '192.0.2.1', forged())));
    // One proof a second is what the rate gives.
    expect(later.filter((status) => status === 429).length).toBeGreaterThanOrEqual(7);
    expect(await fleet.login(b, '192.0.2.9', fleet.signed())).toBe(200);
  });

  it('W11: accept a signed request once, at whichever of them it comes first', async () => {
    const fleet = await openFleet('replays');
    const [a, b] = [await fleet.open({ loginRate: undefined }), await fleet.open({ loginRate: undefined })];
    await fleet.writeRoles(a);
    for (let turn = 0; turn < 5; turn += 1) {
      const once = fleet.signed();
      expect([await fleet.login(a, '192.0.2.1', once), await fleet.login(b, '192.0.2.2', once)]).toEqual([200, 400]);
      const rival = fleet.signed();
      const statuses = await Promise.all([a, b, a, b].map((server) => fleet.login(server, '192.0.2.1', rival)));
      expect(statuses.toSorted()).toEqual([200, 400, 400, 400]);
    }
  });

  it('ask the database no more for a login than servers that count alone', async () => {
    const counts: number[] = [];
    for (const rateExchange of [undefined, openPostgresRates({ ...cluster.connection, schema: 'queries' })]) {
      let queries = 0;
      const pool = new Pool(cluster.connection);
      const counted = new WeakMap<PoolClient, PostgresPoolClient>();
      const counting: PostgresPool = {
        async connect() {
          const client = await pool.connect();
          const known = counted.get(client);
          if (known !== undefined) return known;
          const counting: PostgresPoolClient = {
            query: (question) => {
              queries += 1;
              return client.query(question);
            },
            on: (event, listener) => client.on(event, listener),
            release: (destroy) => client.release(destroy),
          };
          counted.set(client, counting);
          return counting;
        },
      };
      const fleet = await openFleet('queries', { pool: counting });
      const server = await fleet.open({ rateExchange });
      await fleet.writeRoles(server);
      const each: number[] = [];
      for (let at = 0; at < 8; at += 1) {
        const before = queries;
        expect(await fleet.login(server, '192.0.2.1', fleet.document())).toBe(200);
        each.push(queries - before);
      }
      // The least: what the server asks by itself, for readiness and clock, may fall into a login.
      counts.push(Math.min(...each));
      for (const end of ENDS.splice(0).reverse()) await end();
      await rateExchange?.close();
      await pool.end();
    }
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts[1]).toBe(counts[0]);
  });

  it('go on by themselves while exchanges hang or fail, say so once, and share again', async () => {
    const proxy = await createProxy(cluster.port);
    ENDS.push(() => proxy.close());
    const fleet = await openFleet('trouble', { ratePort: proxy.port });
    const [a, b] = [await fleet.open(), await fleet.open()];
    await fleet.writeRoles(a);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    proxy.set('silent');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const startedAt = performance.now();
    expect(await fleet.login(a, '192.0.2.1', fleet.document())).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    proxy.set('cut_questions');
    const lost = 'rates are not shared: this server counts for itself until they are';
    await expect.poll(() => fleet.lines.filter((line) => line === lost), { timeout: 20_000 }).toHaveLength(2);
    const count = async (server: PosternServer, peer: string) => {
      const all = await Promise.all(Array.from({ length: 30 }, () => fleet.login(server, peer, { role: 'web' })));
      return all.filter((status) => status !== 429).length;
    };
    for (const server of [a, b]) expect(await count(server, '192.0.2.3')).toBeLessThanOrEqual(25);
    proxy.set('open');
    const again = 'rates are shared with the other servers again';
    await expect.poll(() => fleet.lines.filter((line) => line === again), { timeout: 20_000 }).toHaveLength(2);
    expect(fleet.lines.filter((line) => line === lost)).toHaveLength(2);
    expect(await count(a, '192.0.2.4')).toBeGreaterThanOrEqual(20);
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect(await count(b, '192.0.2.4')).toBeLessThanOrEqual(15);
  });
});
