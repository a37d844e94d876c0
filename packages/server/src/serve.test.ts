/** `postern serve` and `root-token` as an operator meets them: a child process, signals, files, HTTP. */
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { createSite, LOGIN_PATH, type ServingPostern, type Site, servePostern, startPostern } from '@postern/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let site: Site;
const running: ServingPostern[] = [];

beforeEach(() => {
  site = createSite();
});
afterEach(async () => {
  for (const server of running.splice(0)) {
    server.signal('SIGKILL');
    await server.ended;
  }
  site.remove();
});

async function serve(): Promise<ServingPostern> {
  const server = await servePostern(site.configFile);
  running.push(server);
  return server;
}

async function stop(server: ServingPostern): Promise<number | null> {
  server.signal('SIGTERM');
  return server.ended;
}

async function statusWith(server: ServingPostern, token: string): Promise<number> {
  const answer = await fetch(`${server.url}/v1/auth/token/lookup-self`, { headers: { 'x-service-token': token } });
  await answer.text();
  return answer.status;
}

/** Whether any file of the site holds a text. */
const someFileHolds = (text: string) =>
  readdirSync(site.folder).some((name) => readFileSync(join(site.folder, name), 'latin1').includes(text));

describe('the root token', () => {
  it('is printed once, works, and stands in no file', async () => {
    const first = await serve();
    const token = first.rootToken ?? '';
    expect(token.length).toBeGreaterThan(20);
    expect(await statusWith(first, token)).toBe(200);
    expect(await stop(first)).toBe(0);
    expect(someFileHolds(token)).toBe(false);
    expect(first.stdout()).not.toContain(token);

    const second = await serve();
    expect(second.rootToken).toBeUndefined();
    expect(second.stderr()).toContain('root-token --config');
    expect(await statusWith(second, token)).toBe(200);
  });

  it('is made anew while the server is stopped, and only then', async () => {
    const server = await serve();
    const refused = startPostern(['root-token', '--config', site.configFile]);
    expect(await refused.ended).toBe(1);
    expect(refused.stderr()).toContain('postern.db');
    await stop(server);

    const made = startPostern(['root-token', '--config', site.configFile]);
    expect(await made.ended).toBe(0);
    const token = made.stdout().trim();
    const again = await serve();
    expect(again.rootToken).toBeUndefined();
    expect(await statusWith(again, token)).toBe(200);
    expect(await statusWith(again, server.rootToken ?? '')).toBe(200);
  });
});

describe('the files', () => {
  it('are readable by their owner alone', async () => {
    await stop(await serve());
    for (const name of ['postern.db', 'audit.log']) {
      expect(statSync(join(site.folder, name)).mode & 0o077).toBe(0);
    }
  });
});

describe('the audit log', () => {
  it('that is renamed while logins come is reopened on SIGHUP, and no event is lost', async () => {
    const server = await serve();
    const [log, old] = [join(site.folder, 'audit.log'), join(site.folder, 'audit.log.1')];
    const requestIds: string[] = [];
    const login = async () => {
      const answer = await fetch(server.url + LOGIN_PATH, { method: 'POST', body: '{}' });
      await answer.text();
      requestIds.push(answer.headers.get('x-request-id') ?? '');
    };
    await Promise.all(Array.from({ length: 50 }, login));
    renameSync(log, old);
    const during = Promise.all(Array.from({ length: 50 }, login));
    server.signal('SIGHUP');
    await during;
    while (!server.stderr().includes('audit log reopened')) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const renamed = readFileSync(old, 'utf8');
    await Promise.all(Array.from({ length: 50 }, login));
    expect(readFileSync(old, 'utf8')).toBe(renamed);
    expect(statSync(log).mode & 0o077).toBe(0);
    const lines = (renamed + readFileSync(log, 'utf8')).trimEnd().split('\n');
    const told = lines.map((line) => JSON.parse(line)).filter(({ operation }) => operation === 'login');
    expect(told.map(({ requestId }) => requestId).sort()).toEqual([...requestIds].sort());
    expect(requestIds).toHaveLength(150);
    expect(await stop(server)).toBe(0);
  });

  it('on the standard output outlives a SIGHUP, which reads the policies again (POLICY-4, O6)', async () => {
    const config = { ...JSON.parse(readFileSync(site.configFile, 'utf8')), audit: { file: '-' } };
    const hangUp = async (policies: object, text: string) => {
      writeFileSync(site.configFile, JSON.stringify({ ...config, policies }));
      server.signal('SIGHUP');
      while (!server.stderr().includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    writeFileSync(site.configFile, JSON.stringify(config));
    const server = await serve();
    await hangUp({ ops: { 'auth/cloud/roles': ['list'] } }, 'policies read from the configuration');
    await hangUp({ ops: { '/auth/cloud/roles': ['deny'] } }, 'could not reload the policies');
    expect((await fetch(`${server.url}/v1/sys/health`)).status).toBe(200);
    expect(await stop(server)).toBe(0);
  });
});

describe('a reload', () => {
  it('W9: of a file that every user may write is refused, as a start is', async () => {
    const server = await serve();
    chmodSync(site.configFile, 0o602);
    server.signal('SIGHUP');
    await expect.poll(server.stderr).toContain('audit log reopened');
    expect(server.stderr()).toContain('could not reload the policies; those before stay in force');
    expect(server.stderr()).not.toContain('policies read from the configuration');
    expect(await stop(server)).toBe(0);
  });
});

describe('W9: a folder', () => {
  it.each([
    ['sealing.keyFile', { sealing: { keyFile: './there/postern.key' } }],
    ['registry.archives', { registry: { archives: './there' } }],
  ])('of %s that every user may write is refused', async (setting, member) => {
    const config = { ...JSON.parse(readFileSync(site.configFile, 'utf8')), ...member };
    writeFileSync(site.configFile, JSON.stringify(config));
    const server = await serve();
    chmodSync(join(site.folder, 'there'), 0o707);
    server.signal('SIGHUP');
    await expect.poll(server.stderr).toContain(`${setting}: every user may write`);
    expect(await stop(server)).toBe(0);
  });
});

describe('a warning of the method', () => {
  it('is logged once, at the start', async () => {
    const config = { ...JSON.parse(readFileSync(site.configFile, 'utf8')), sealing: 'none' };
    writeFileSync(site.configFile, JSON.stringify(config));
    const server = await serve();
    const told = () => server.stderr().split('"level":"warning","message":"secrets').length - 1;
    expect(told()).toBe(1);
    await (await fetch(`${server.url}/v1/sys/health`)).text();
    expect(await stop(server)).toBe(0);
    expect(told()).toBe(1);
  });
});

describe('the end of the server', () => {
  /** A login whose body is on its way: in flight until `finish`. */
  function slowRequest(server: ServingPostern) {
    let status: (code: number) => void = () => undefined;
    const answered = new Promise<number>((resolve) => {
      status = resolve;
    });
    const request = httpRequest(server.url + LOGIN_PATH, { method: 'POST', headers: { 'content-length': '2' } });
    request.on('response', (response) => {
      response.resume();
      status(response.statusCode ?? 0);
    });
    request.on('error', () => status(-1));
    request.write('{');
    return { answered, finish: () => request.end('}') };
  }
  const soon = () => new Promise((resolve) => setTimeout(resolve, 150));

  it('waits for a request in flight', async () => {
    const server = await serve();
    const { answered, finish } = slowRequest(server);
    await soon();
    server.signal('SIGTERM');
    await soon();
    finish();
    expect(await answered).toBe(400);
    expect(await server.ended).toBe(0);
    expect(server.stderr()).toContain('"message":"stopped"');
  });

  it('comes at once with a second signal', async () => {
    const server = await serve();
    const { answered } = slowRequest(server);
    await soon();
    server.signal('SIGINT');
    await soon();
    server.signal('SIGINT');
    expect(await server.ended).toBe(1);
    expect(await answered).toBe(-1);
  });

  it('comes with an uncaught error', async () => {
    const file = join(site.folder, 'provider.mjs');
    const throwing = "setTimeout(() => { throw new TypeError('secret-in-message'); }, 300);\n";
    writeFileSync(file, throwing + readFileSync(file, 'utf8'));
    const server = startPostern(['serve', '--config', site.configFile]);
    expect(await server.ended).toBe(1);
    expect(server.stderr()).toContain('"error":"TypeError"');
    expect(server.stderr()).not.toContain('secret-in-message');
  });
});

describe('a start that cannot be', () => {
  const failing = async (config: object) => {
    writeFileSync(site.configFile, JSON.stringify(config));
    const started = startPostern(['serve', '--config', site.configFile]);
    return { code: await started.ended, said: started.stderr() };
  };

  it('for an unknown member names it', async () => {
    const { code, said } = await failing({ storge: { file: 'postern.db' } });
    expect(code).toBe(2);
    expect(said).toContain('did you mean "storage"');
  });

  it.each<[string, object, string]>([
    ['the folder of an audit log that is not there', { audit: { file: './none/audit.log' } }, 'audit.file: ENOENT'],
    ['a file in the place of the archives', { registry: { archives: './provider.mjs' } }, 'registry.archives: '],
    ['an address of another machine', { listen: { host: '192.0.2.1' } }, 'listen.host, listen.port: '],
  ])('for %s names the member to change', async (_name, more, expected) => {
    const { code, said } = await failing({ ...JSON.parse(readFileSync(site.configFile, 'utf8')), ...more });
    expect(code).toBe(1);
    expect(said).toContain(`postern: ${expected}`);
  });

  it('for an address that is taken says so', async () => {
    const server = await serve();
    const other = createSite({ listen: { port: Number(new URL(server.url).port) } });
    const started = startPostern(['serve', '--config', other.configFile]);
    expect(await started.ended).toBe(1);
    expect(started.stderr()).toContain('EADDRINUSE');
    other.remove();
  });

  it.each<[readonly string[], number, string]>([
    [['--version'], 0, ''],
    [['--help'], 0, ''],
    [[], 2, 'missing command'],
    [['serve'], 2, '--config FILE'],
    [['serve', '--config', '/nowhere/postern.json'], 2, 'ENOENT'],
  ])('postern %j ends with %d', async (args, code, said) => {
    const started = startPostern(args);
    expect(await started.ended).toBe(code);
    expect(started.stderr()).toContain(said);
  });
});

describe('200 concurrent first logins of one instance', () => {
  it('with 200 nonces over HTTP get exactly one token', async () => {
    const server = await serve();
    await site.writeRole(server.url, server.rootToken ?? '', 'race');
    const { pkcs7, instanceId } = site.newDocument();
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const body = JSON.stringify({ role: 'race', pkcs7, nonce: `nonce-${index}` });
        const response = await fetch(server.url + LOGIN_PATH, { method: 'POST', body });
        return { status: response.status, body: (await response.json()) as { code?: string } };
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const denied = answers.filter(({ status }) => status === 400);
    expect(denied).toHaveLength(199);
    expect(new Set(denied.map(({ body }) => body.code))).toEqual(new Set(['nonce_mismatch']));
    expect(instanceId).toMatch(/^i-/);
  }, 60_000);
});

describe('figures', () => {
  it('are told at an address of their own, where one is configured', async () => {
    const withFigures = createSite({ metrics: { port: 0 } });
    const server = await servePostern(withFigures.configFile);
    running.push(server);
    const [, url = ''] = /"metrics":"([^"]+)"/.exec(server.stderr()) ?? [];
    const answer = await fetch(url);
    expect(await answer.text()).toMatch(/^postern_build_info\{/m);
    expect(await stop(server)).toBe(0);
    const refused = createSite({ metrics: { port: Number(new URL((await serve()).url).port) } });
    const second = startPostern(['serve', '--config', refused.configFile]);
    expect(await second.ended).toBe(1);
    expect(second.stderr()).toContain('postern: metrics.host, metrics.port: ');
    withFigures.remove();
    refused.remove();
  });
});
