/** The registry beside the auth method, over HTTP: its tokens, its page, its folder, its restarts. */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Storage, StorageError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { afterEach, describe, expect, it } from 'vitest';
import { MANAGE, READ, type RegistryServer, startRegistryServer } from '../../test/registry-server.js';

const started: RegistryServer[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) await each.stop();
});

async function start(...options: Parameters<typeof startRegistryServer>): Promise<RegistryServer> {
  const made = await startRegistryServer(...options);
  started.push(made);
  return made;
}

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** Signs in by the form. @returns the session's cookie. */
async function signIn({ send, server }: RegistryServer, token: string): Promise<string> {
  const answer = await send('/registry/-/sign-in', {
    method: 'POST',
    headers: { origin: server.url, 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${token}`,
  });
  expect(answer.status).toBe(303);
  return answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0])[0] ?? '';
}

describe('the registry of a server', () => {
  it('is found, published to by an operator, and read by an instance with the token that it logged in for', async () => {
    const world = await start();
    const { send, publish, deprecate, login, events } = world;
    expect(await (await send('/.well-known/terraform.json')).json()).toEqual({
      'modules.v1': '/api/registry/v1/modules/',
    });
    expect((await publish('1.0.0')).status).toBe(201);
    expect((await publish('1.1.0', await login('acme-release'))).status).toBe(201);
    expect((await deprecate('1.0.0')).status).toBe(200);
    expect(events.at(-1)).toMatchObject({
      operation: 'registry.version.deprecate',
      outcome: 'allowed',
      principal: 'root',
    });

    const token = await login('acme-modules');
    const list = await (await send(`${READ}/versions`, { token })).json();
    expect(list.modules[0].versions).toMatchObject([
      { version: '1.1.0', deprecation: null },
      { version: '1.0.0', deprecation: { reason: 'Open by default.' } },
    ]);
    const download = await send(`${READ}/1.1.0/download`, { token });
    const { location } = await download.json();
    const archive = await send(new URL(location, download.url).href);
    const bytes = Buffer.from(await archive.arrayBuffer());
    const digest = createHash('sha256').update(bytes).digest('base64');
    expect(archive.headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
    expect(gunzipSync(bytes).toString('latin1')).toContain('variable "cidr" {\n  default = "1.1.0"\n}\n');
    expect((await deprecate('1.1.0', token)).status).toBe(404);
    const all = await (await send('/api/registry/v1/modules', { token })).json();
    expect(all.modules.map(({ id }: { id: string }) => id)).toEqual(['acme/network/aws/1.1.0']);
    const nothing = await (await send('/api/registry/v1/modules', { token: await login('other') })).json();
    expect(nothing.modules).toEqual([]);
  });

  it('asks for a token that is good from this address', async () => {
    const { login, publish, send } = await start();
    await publish('1.0.0');
    const statusWith = async (token?: string) => (await send(`${READ}/versions`, { token })).status;
    expect(await statusWith()).toBe(401);
    expect(await statusWith('pst_made_up')).toBe(401);
    const here = { token_bound_cidrs: '127.0.0.0/8' };
    expect(await statusWith(await login('acme-modules', here))).toBe(200);
  });

  it('counts one request as one use, the page with its many questions too', async () => {
    const { login, publish, send } = await start();
    await publish('1.0.0');
    const api = await login('acme-modules', { token_num_uses: 2 });
    const statuses: number[] = [];
    for (let asked = 0; asked < 3; asked += 1) statuses.push((await send(`${READ}/1.0.0`, { token: api })).status);
    expect(statuses).toEqual([200, 200, 401]);
    const page = await login('acme-modules', { token_num_uses: 2 });
    const views: number[] = [];
    for (let asked = 0; asked < 3; asked += 1) {
      views.push((await send('/registry/acme/network/aws/1.0.0', { token: page })).status);
    }
    expect(views).toEqual([200, 200, 401]);
  });

  it('serves the configured organizations and no other', async () => {
    const { publish, send, root } = await start({ organizations: ['other'] });
    expect((await publish('1.0.0')).status).toBe(404);
    expect((await send('/registry/acme', { token: root })).status).toBe(404);
    expect((await send('/registry/other', { token: root })).status).toBe(200);
  });

  it('keeps signed addresses and sessions over a restart, and no key of them in clear', async () => {
    const first = await start();
    await first.publish('1.0.0');
    const download = await first.send(`${READ}/1.0.0/download`, { token: first.root });
    const { location } = await download.json();
    const { pathname, search } = new URL(location, download.url);
    const cookie = await signIn(first, first.root);
    const second = await first.restart();
    started.push(second);
    expect((await second.send(pathname + search)).status).toBe(200);
    const page = await second.send('/registry/acme/network/aws', { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('1.0.0');
  });

  it('is no page where none is wanted', async () => {
    const { server, send, publish, root } = await start({ page: false });
    expect(server.registryPagePath).toBeUndefined();
    expect((await send('/registry', { token: root })).status).toBe(404);
    expect((await publish('1.0.0')).status).toBe(201);
  });

  it('limits archives and rates as configured', async () => {
    const { publish, send, root } = await start({ limits: { maxArchiveBytes: 100 }, rate: { perSecond: 1, burst: 3 } });
    expect((await publish('1.0.0')).status).toBe(413);
    const statuses: number[] = [];
    for (let asked = 0; asked < 4; asked += 1) statuses.push((await send(`${READ}/versions`, { token: root })).status);
    expect(statuses).toContain(429);
  });

  it('keeps of an organization what its quota allows (PUBLISH-8)', async () => {
    const { publish, send, root } = await start({ quota: { versions: 1 } });
    expect((await publish('1.0.0')).status).toBe(201);
    const refused = await publish('1.1.0');
    expect(refused.status).toBe(409);
    expect(JSON.stringify(await refused.json())).toContain('the organization acme has 1 of 1 versions');
    expect((await publish('1.0.0')).status).toBe(201);
    const managed = '/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0';
    expect((await send(managed, { method: 'DELETE', token: root })).status).toBe(204);
    expect((await publish('1.1.0')).status).toBe(201);
  });

  it('hands out the overlay only for modules that are named, when the client understands it', async () => {
    const terraform = { 'x-terraform-version': '1.9.0', 'user-agent': 'Terraform/1.9.0' };
    for (const [overlay, expected] of [
      [['acme/network/aws'], true],
      [['acme'], true],
      [['acme/other/aws', 'else'], false],
      [undefined, false],
    ] as const) {
      const { publish, deprecate, send, root } = await start({ overlay });
      await publish('1.0.0');
      await deprecate('1.0.0');
      const answer = await send(`${READ}/1.0.0/download`, { token: root, headers: terraform });
      expect((await answer.json()).location.includes('overlay=')).toBe(expected);
    }
  });

  it('says in health that its folder is gone', async () => {
    const { send, archives } = await start();
    const warnings = async () => (await (await send('/v1/sys/health')).json()).warnings;
    const before: string[] = await warnings();
    rmSync(archives, { recursive: true });
    const after: string[] = await warnings();
    expect(after.filter((warning) => !before.includes(warning))).toEqual([expect.stringContaining('archives')]);
  });

  it('removes from its start on what a process left that died between claim and commit', async () => {
    const storage = createMemoryStorage();
    let isDead = false;
    const dying: Storage = {
      get: (...given) => storage.get(...given),
      getMany: (...given) => storage.getMany(...given),
      list: (...given) => storage.list(...given),
      listExpired: (...given) => storage.listExpired(...given),
      readLog: (...given) => storage.readLog(...given),
      removeFromLog: (...given) => storage.removeFromLog(...given),
      close: () => storage.close(),
      async commit(operations, options) {
        if (isDead) throw new StorageError('unavailable', 'the process is dead');
        isDead = operations.some((one) => one.type !== 'append' && one.key.startsWith('postern/catalogue/blob/'));
        return storage.commit(operations, options);
      },
    };
    const first = await start({ storage: dying });
    expect((await first.publish('1.0.0')).status).toBe(503);
    expect(filesOf(first.archives)).toHaveLength(1);
    const second = await start({ storage }, { storage, archives: first.archives, root: '' });
    await expect.poll(() => filesOf(first.archives)).toEqual([]);
    await expect.poll(() => second.logged).toContainEqual(expect.objectContaining({ removed: 1, failed: 0 }));
  });

  it('starts and publishes while a sweep is under way, however long that takes', async () => {
    const storage = createMemoryStorage();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { list } = storage;
    storage.list = async (prefix, query, options) => {
      if (prefix === 'postern/catalogue/blob/') await held;
      return list.call(storage, prefix, query, options);
    };
    const { publish, archives, logged } = await start({ storage });
    expect((await publish('1.0.0')).status).toBe(201);
    release();
    expect((await publish('1.1.0')).status).toBe(201);
    expect(filesOf(archives)).toHaveLength(2);
    expect(logged.filter(({ removed }) => removed !== undefined)).toEqual([]);
  });

  it('sweeps no archives where another process does (WORKERS-3)', async () => {
    const listsOf = async (sweeps: boolean) => {
      const storage = createMemoryStorage();
      const { list } = storage;
      let lists = 0;
      storage.list = (prefix, query, options) => {
        if (prefix === 'postern/catalogue/blob/') lists += 1;
        return list.call(storage, prefix, query, options);
      };
      const { publish } = await start({ storage, sweeps });
      expect((await publish('1.0.0')).status).toBe(201);
      return lists;
    };
    expect([await listsOf(true), await listsOf(false)]).toEqual([1, 0]);
  });
});

describe('a server without a registry', () => {
  it('answers nothing below its paths', async () => {
    const { createServer } = await import('../create-server.js');
    const server = await createServer({
      storage: createMemoryStorage(),
      audit: { record: () => undefined },
      provider: {
        describeInstance: async () => undefined,
        rolesOfProfile: async () => undefined,
        describePrincipal: async () => undefined,
      },
    });
    try {
      for (const path of ['/.well-known/terraform.json', '/registry', `${READ}/versions`, `${MANAGE}/1.0.0`]) {
        expect((await fetch(server.url + path)).status).toBe(404);
      }
    } finally {
      await server.close(500);
    }
  });
});
