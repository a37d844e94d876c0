/** `workers`: several processes on one port and one database, as one server (WORKERS-1 to WORKERS-3). */
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createSite, type ServingPostern, type Site, servePostern, startPostern } from '@postern/internal';
import type { AuditEvent } from '@postern/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, createCluster, freePort } from './cluster.js';
import { ask, login, lookUp, type Node, writeRole } from './two-nodes.js';

let cluster: Cluster;
let site: Site;
let node: Node;
let rootToken = '';
let metricsUrl = '';
const facts: Record<string, unknown>[] = [];

const linesOf = (server: ServingPostern): readonly Record<string, unknown>[] =>
  server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  cluster = await createCluster();
  const port = await freePort();
  site = createSite({
    listen: { port },
    workers: 2,
    storage: { postgres: { url: cluster.connectionString } },
    metrics: { port: 0 },
    policies: { reader: { 'auth/cloud/role/*': ['read'] } },
    tokenRate: { perSecond: 1_000, burst: 1_000 },
    // Until a client has heard that its connection is about to close.
    shutdown: { delaySeconds: 1 },
  });
  const server = await servePostern(site.configFile);
  node = { server, configFile: site.configFile };
  rootToken = server.rootToken ?? '';
  facts.push(...linesOf(server).filter(({ message }) => message === 'listening'));
  metricsUrl = String(facts[0]?.['metrics']);
});
afterAll(async () => {
  node.server.signal('SIGKILL');
  await node.server.ended;
  await cluster.remove();
  site.remove();
});

/** Pids of the workers, as the system has them. */
function workerPids(): readonly number[] {
  const children = readFileSync(`/proc/${node.server.pid}/task/${node.server.pid}/children`, 'utf8');
  return children.trim().split(' ').filter(Boolean).map(Number);
}

const events = () =>
  readFileSync(join(site.folder, 'audit.log'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditEvent);

const at = (path: string) => `${node.server.url}/v1/${path}`;

/** On a connection of its own, so that the workers take turns. */
const askAlone = async (token: string, path: string) => {
  const response = await fetch(at(path), { headers: { 'x-service-token': token, connection: 'close' } });
  await response.text();
  return response.status;
};

const figures = async () => (await fetch(metricsUrl)).text();

/** Logs in from many connections until `isOver`, and keeps what was acknowledged. */
function loginLoad(connections: number) {
  const acknowledged: { readonly instanceId: string; readonly token: string }[] = [];
  const other: number[] = [];
  let isOver = false;
  const clients = Array.from({ length: connections }, async () => {
    while (!isOver) {
      const { instanceId, pkcs7 } = site.newDocument();
      const { status, token } = await login(node, pkcs7);
      if (status === 200) acknowledged.push({ instanceId, token });
      else other.push(status);
    }
  });
  return {
    acknowledged,
    other,
    end: async () => {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

describe('two workers on one port', () => {
  it('are one server: one root token, one line that it listens, one audit log, logins through both', async () => {
    expect(facts).toHaveLength(1);
    expect(facts[0]).toMatchObject({ url: node.server.url, workers: 2 });
    expect(workerPids()).toHaveLength(2);
    expect(node.server.stderr().match(/=== Root token/g)).toHaveLength(1);
    expect(await writeRole(node, rootToken)).toBe(204);
    const load = loginLoad(8);
    await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(60);
    await load.end();
    expect(load.other).toEqual([]);
    const logins = () => events().filter(({ operation, outcome }) => operation === 'login' && outcome === 'allowed');
    await expect.poll(() => logins().length).toBe(load.acknowledged.length);
    // An id begins with its process.
    const processes = new Set(logins().map(({ id }) => id.slice(0, id.lastIndexOf('-'))));
    expect(processes.size).toBe(2);
    const verified = startPostern(['audit', 'verify', join(site.folder, 'audit.log')]);
    expect([await verified.ended, verified.stderr()]).toEqual([0, '']);
  });

  it('show their figures as those of one, and share their rates', async () => {
    const text = await figures();
    const logins = events().filter(({ operation }) => operation === 'login').length;
    expect(text).toContain(`postern_audit_events_total{operation="login",outcome="allowed",code=""} ${logins}\n`);
    for (const line of ['postern_workers 2', 'postern_ready{code=""} 1', 'postern_rates_shared 1']) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text.match(/^postern_build_info.*$/gm)).toEqual(['postern_build_info{version="0.0.0"} 1']);
    const both = await Promise.all([figures(), figures()]);
    for (const each of both) expect(each).toContain('postern_workers 2');
  });

  it('tidy once, not once each', () => {
    const runs = events().filter(({ operation }) => operation === 'tidy.run');
    const seen = runs.map(({ details, phase }) => JSON.stringify([details, phase]));
    expect(runs.length).toBeGreaterThan(0);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('both hear of SIGHUP: policies, and an audit log that was renamed', async () => {
    const created = await ask(node, rootToken, 'auth/token/create', { policies: ['reader'] });
    const token = created.auth?.client_token ?? '';
    const statuses = () => Promise.all(Array.from({ length: 8 }, () => askAlone(token, 'auth/cloud/role/web')));
    expect(new Set(await statuses())).toEqual(new Set([200]));
    const config = JSON.parse(readFileSync(site.configFile, 'utf8'));
    writeFileSync(site.configFile, JSON.stringify({ ...config, policies: { reader: {} } }));
    renameSync(join(site.folder, 'audit.log'), join(site.folder, 'audit.log.1'));
    node.server.signal('SIGHUP');
    await expect.poll(statuses).toEqual(Array.from({ length: 8 }, () => 403));
    await expect
      .poll(() => linesOf(node.server).filter(({ message }) => message === 'audit log reopened'))
      .toHaveLength(1);
    expect(await askAlone(token, 'auth/token/lookup-self')).toBe(200);
    await expect.poll(() => events().some(({ operation }) => operation === 'token.lookup-self')).toBe(true);
    const files = ['audit.log.1', 'audit.log'].map((name) => join(site.folder, name));
    const verified = startPostern(['audit', 'verify', ...files]);
    expect([await verified.ended, verified.stderr()]).toEqual([0, '']);
  });

  it('one is killed under load: nothing acknowledged is lost, the other goes on, a new one comes', async () => {
    const load = loginLoad(8);
    await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(30);
    const [killed = 0, other = 0] = workerPids();
    process.kill(killed, 'SIGKILL');
    const before = load.acknowledged.length;
    await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(before + 30);
    await expect.poll(workerPids, { timeout: 30_000 }).toHaveLength(2);
    expect(workerPids()).toContain(other);
    await expect.poll(figures, { timeout: 30_000 }).toContain('postern_workers 2');
    const since = load.acknowledged.length;
    await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(since + 30);
    await load.end();
    // At most what its connections had under way.
    expect(load.other.length).toBeLessThanOrEqual(8);
    for (const { token } of load.acknowledged.slice(-80)) expect(await lookUp(node, token)).toBe(200);
    const { data } = await ask(node, rootToken, 'auth/cloud/identity-accesslist?list=true');
    expect(data['keys']).toEqual(expect.arrayContaining(load.acknowledged.map(({ instanceId }) => instanceId)));
    // What it had not fed to the log its successor of that name has, once.
    const recorded = () => new Set(events().map(({ principal }) => principal));
    await expect
      .poll(() => load.acknowledged.filter(({ instanceId }) => !recorded().has(instanceId)), { timeout: 30_000 })
      .toEqual([]);
    const ids = events().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const told = linesOf(node.server).find(({ message }) => message === 'a worker ended; another is started');
    expect(told).toMatchObject({ level: 'error', signal: 'SIGKILL', retry_after_ms: 100 });
  });

  it('one that is told to end drains, and is replaced', async () => {
    const load = loginLoad(6);
    await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(20);
    const [ending = 0] = workerPids();
    process.kill(ending, 'SIGTERM');
    await expect
      .poll(() => workerPids().length === 2 && !workerPids().includes(ending), { timeout: 30_000 })
      .toBe(true);
    await load.end();
    expect(load.other).toEqual([]);
  });

  it('all drain at SIGTERM: every login that came is answered, and the port is closed', async () => {
    const load = loginLoad(8);
    await expect.poll(() => load.acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(20);
    node.server.signal('SIGTERM');
    expect(await node.server.ended).toBe(0);
    await load.end();
    // After the end nobody listens; before it no answer but a login's.
    expect(new Set(load.other)).toEqual(new Set([0]));
    expect(linesOf(node.server).filter(({ message }) => message === 'stopped')).toHaveLength(3);
    const recorded = new Set(events().map(({ principal }) => principal));
    expect(load.acknowledged.filter(({ instanceId }) => !recorded.has(instanceId))).toEqual([]);
    const again = await servePostern(site.configFile);
    node = { ...node, server: again };
    expect(again.rootToken).toBeUndefined();
    expect(await lookUp(node, load.acknowledged.at(-1)?.token ?? '')).toBe(200);
  });

  it('end with the server that started them, also where it is killed', async () => {
    const pids = workerPids();
    node.server.signal('SIGKILL');
    await node.server.ended;
    const alive = () =>
      pids.filter((pid) => {
        try {
          return process.kill(pid, 0);
        } catch {
          return false;
        }
      });
    await expect.poll(alive, { timeout: 10_000 }).toEqual([]);
  });
});

describe('a start of workers', () => {
  it('fails as that of one server does, and says why once', async () => {
    const holder = createServer().listen(Number(new URL(node.server.url).port), '127.0.0.1');
    await once(holder, 'listening');
    const started = startPostern(['serve', '--config', site.configFile]);
    expect(await started.ended).toBe(1);
    expect(started.stderr().match(/address already in use: stop the other program/g)).toHaveLength(1);
    holder.close();
    await once(holder, 'close');
  });
});
