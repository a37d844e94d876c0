/** The server embedded in a program, on ports of the program's own. */
import { type AuditEvent, type Storage, StorageError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createServer, type PosternServer, type ServerOptions } from './create-server.js';
import type { Log } from './log.js';
import type { OpenRegistry } from './registry/served-registry.js';

const servers: PosternServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(500)));
});

async function embed(options: Partial<ServerOptions> = {}) {
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock });
  const events: AuditEvent[] = [];
  const server = await createServer({
    storage: createMemoryStorage(),
    audit: { record: (event) => void events.push(event) },
    provider: {
      ...cloud,
      builtInCertificates: cloud.defaultCertificates(),
    },
    ...options,
  });
  servers.push(server);
  const root = await server.method.createRootToken();
  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: object) => {
    const response = await fetch(`${server.url}/v1/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const login = (role: string, headers?: Record<string, string>, mount = 'auth/cloud') => {
    const pkcs7 = cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048;
    return send('POST', `${mount}/login`, headers, { role, pkcs7 });
  };
  return { server, events, root, send, login };
}

const role = { auth_type: 'ec2', bound_ami_id: 'ami-1' };

describe('an embedded server', () => {
  it('logs instances in over HTTP', async () => {
    const { root, send, login, events } = await embed();
    expect((await send('POST', 'auth/cloud/role/dev', { 'x-service-token': root }, role)).status).toBe(204);
    expect((await login('dev')).status).toBe(200);
    expect(events.at(-1)).toMatchObject({ operation: 'login', outcome: 'allowed', peerAddress: '127.0.0.1' });
  });

  it('tidies by itself, unless another process does (WORKERS-3)', async () => {
    const runs = (events: readonly AuditEvent[]) => events.filter(({ operation }) => operation === 'tidy.run').length;
    const [tidier, other] = [await embed(), await embed({ periodicTidy: false })];
    await expect.poll(() => runs(tidier.events)).toBeGreaterThan(0);
    await tidier.server.method.settled();
    expect(runs(other.events)).toBe(0);
  });

  it('V10: warns at its start of blocks of trusted proxies that hold more than proxies', async () => {
    const lines: unknown[] = [];
    const log: Log = (level, message, fields) => lines.push([level, message, fields]);
    await embed({ log, trustedProxies: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'] });
    const warned = [expect.stringContaining('wide block of trusted proxies')];
    expect(lines).toEqual([
      ['warning', ...warned, { block: '10.0.0.0/8' }],
      ['warning', ...warned, { block: '2001:db8::/32' }],
    ]);
  });

  it('speaks the vault profile at its own mount', async () => {
    const { root, send, login, server } = await embed({ profile: 'vault' });
    expect(server.method.mountPath).toBe('auth/aws');
    expect((await send('PUT', 'auth/aws/role/dev', { 'x-vault-token': root }, role)).status).toBe(204);
    expect((await login('dev', {}, 'auth/aws')).status).toBe(200);
    const list = await send('LIST', 'auth/aws/roles', { 'x-vault-token': root, 'x-vault-request': 'true' });
    expect(list.body.data).toEqual({ keys: ['dev'] });
  });

  it('believes a forwarded address only of its own proxies', async () => {
    for (const [trustedProxies, status] of [
      [[], 403],
      [['127.0.0.1'], 200],
    ] as const) {
      const { root, send, login } = await embed({ trustedProxies });
      const bound = { ...role, token_bound_cidrs: '198.51.100.0/24' };
      await send('POST', 'auth/cloud/role/dev', { 'x-service-token': root }, bound);
      expect((await login('dev', { 'x-forwarded-for': '198.51.100.4' })).status).toBe(status);
    }
  });

  it('grants management by policy', async () => {
    const policies = { reader: { 'auth/cloud/role/*': ['read'] } } as const;
    const { root, send, login } = await embed({ auth: { policies } });
    await send('POST', 'auth/cloud/role/dev', { 'x-service-token': root }, { ...role, token_policies: 'reader' });
    const token = (await login('dev')).body.auth.client_token as string;
    expect((await send('GET', 'auth/cloud/role/dev', { 'x-service-token': token })).status).toBe(200);
    expect((await send('DELETE', 'auth/cloud/role/dev', { 'x-service-token': token })).status).toBe(403);
  });

  it('holds the body limit over the wire, and goes on', async () => {
    const { send } = await embed({ bodyLimitBytes: 1024 });
    expect((await send('POST', 'auth/cloud/login', {}, { role: 'x'.repeat(2000) })).status).toBe(413);
    expect((await send('POST', 'auth/cloud/login', {}, { role: 'x' })).body.code).toBe('login_fields_missing');
  });
});

describe('a start that fails', () => {
  const inUse = async () => ({ port: Number(new URL((await embed()).server.url).port) });
  const reasons: readonly [string, string, () => Promise<Partial<ServerOptions>>][] = [
    ['its address is taken', 'EADDRINUSE', inUse],
    [
      'its registry does not open',
      'no archives',
      async () => ({ registry: () => Promise.reject(new Error('no archives')) }),
    ],
    ['an option of the method is invalid', 'mountPath', async () => ({ auth: { mountPath: '/' } })],
    [
      'its registry lacks what HTTP needs',
      'createHttpApp',
      async () => ({ registry: async () => ({ http: {} as never }) }),
    ],
  ];

  it.each(reasons)('as %s leaves no timer behind', async (_name, message, given) => {
    const options = await given();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    await expect(embed(options)).rejects.toThrow(message);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no event behind that a sink has', async () => {
    const storage = createMemoryStorage();
    const events: AuditEvent[] = [];
    const registry: OpenRegistry = async ({ audit }) => {
      await audit.commit([], { time: 0, requestId: 'r', operation: 'login', outcome: 'allowed' });
      throw new Error('no archives');
    };
    const audit = { record: (event: AuditEvent) => void events.push(event) };
    await expect(embed({ storage, audit, auditNode: 'one', registry })).rejects.toThrow('no archives');
    expect(events).toHaveLength(1);
    expect(await storage.readLog('postern/audit/log/one', { limit: 10 })).toEqual([]);
  });
});

describe('tidying', () => {
  it('begins with the server, and its progress can be read', async () => {
    const { root, send } = await embed();
    const status = async () => (await send('GET', 'auth/cloud/tidy/status', { 'x-service-token': root })).body.data;
    while ((await status()).tokens.finished_time === null) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await status()).toMatchObject({
      'identity-accesslist': { running: false, examined: 0, last_error: null },
      'roletag-denylist': { running: false },
      tokens: { running: false, failed: 0 },
    });
  });

  it('by hand answers 202 with a warning at both paths, and nothing to GET (rows 31 and 35)', async () => {
    const { root, send } = await embed();
    const header = { 'x-service-token': root };
    for (const path of ['identity-accesslist', 'identity-whitelist', 'roletag-denylist', 'roletag-blacklist']) {
      const { status, body } = await send('POST', `auth/cloud/tidy/${path}`, header, {});
      expect([200, 202]).toContain(status);
      expect(body).toMatchObject({ data: null, auth: null, warnings: [expect.any(String)] });
      expect((await send('GET', `auth/cloud/tidy/${path}`, header)).status).toBe(405);
      expect((await send('POST', `auth/cloud/tidy/${path}`, header, { safety_buffer: '-1s' })).status).toBe(400);
    }
  });
});

describe('health', () => {
  it('is 200 while the storage answers', async () => {
    const { send } = await embed();
    const { status, body } = await send('GET', 'sys/health');
    expect(status).toBe(200);
    expect(body).toMatchObject({ initialized: true, sealed: false, storage: 'reachable' });
    expect(Math.abs(body.server_time_utc - Date.now() / 1000)).toBeLessThan(5);
  });

  it('W8: names registered certificates in the log alone, and each warning once', async () => {
    const warned: string[] = [];
    const log: Log = (level, message) => {
      if (level === 'warning') warned.push(message);
    };
    const later = () => Date.now() + 200 * 365 * 86_400_000;
    const { send, root } = await embed({ log, clock: { now: later } });
    const [certificate] = createFakeCloud({ clock: { now: () => Date.now() } }).defaultCertificates();
    const written = { cloud_public_cert: btoa(certificate?.pem ?? ''), type: 'pkcs7' };
    const header = { 'x-service-token': root };
    expect((await send('POST', 'auth/cloud/config/certificate/acme-prod', header, written)).status).toBe(204);
    const { body } = await send('GET', 'sys/health');
    await send('GET', 'sys/health');
    expect(body.warnings).toEqual([expect.stringMatching(/^\d+ warnings?: see the log/)]);
    expect(JSON.stringify(body)).not.toContain('acme-prod');
    expect(warned.some((message) => message.includes('acme-prod'))).toBe(true);
    expect(new Set(warned).size).toBe(warned.length);
  });

  it('O7: is 503 while the server drains, which serves all the same for a while', async () => {
    const { send, server } = await embed();
    const closed = server.close(500, 300);
    const health = await send('GET', 'sys/health');
    expect([health.status, health.headers.get('connection')]).toEqual([503, 'close']);
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { ready: false, code: 'draining' }]);
    expect((await send('GET', 'auth/token/lookup-self')).status).toBe(403);
    await closed;
    await expect(send('GET', 'sys/health')).rejects.toThrow();
  });

  it('O3: is 503, and says why, while the host refuses to serve', async () => {
    const { send, server } = await embed({ refusal: () => ['record_newer', 'upgrade this server'] });
    expect((await send('GET', 'sys/health')).status).toBe(503);
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      { ready: false, code: 'record_newer', reason: 'upgrade this server' },
    ]);
  });

  it.each<[string, Storage['get']]>([
    ['fails', () => Promise.reject(new Error('down'))],
    ['does not answer', () => new Promise(() => undefined)],
  ])('is 503 while the storage %s', async (_name, get) => {
    const storage = createMemoryStorage();
    const { send } = await embed({ storage });
    storage.get = get;
    expect((await send('GET', 'sys/health')).status).toBe(503);
  });

  it('O5: is not ready, and says why, while the storage cannot be written', async () => {
    const storage = createMemoryStorage();
    const { send } = await embed({ storage });
    storage.commit = () => Promise.reject(new StorageError('unavailable', 'full', { fault: 'full' }));
    await expect.poll(async () => (await send('GET', 'sys/health?ready')).status, { timeout: 5_000 }).toBe(503);
    const response = await send('GET', 'sys/health?ready');
    expect(response.body).toMatchObject({ storage: 'reachable', ready: false, code: 'storage_full' });
    expect((await send('GET', 'sys/health')).status).toBe(503);
  });
});
