/** `postern registry check` as a pipeline meets it: a child process, its outputs and its exit code. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerType, serve } from '@hono/node-server';
import { startPostern } from '@postern/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const HOST = 'registry.acme.test';
const TOKEN = 'secret-token-of-acme';
const MANIFEST = {
  Modules: [
    { Key: '', Source: '', Dir: '.' },
    { Key: 'net', Source: `${HOST}/acme/network/aws`, Version: '1.0.0', Dir: '.terraform/modules/net' },
    { Key: 'net.inner', Source: './inner', Dir: '.terraform/modules/net/inner' },
  ],
};

let folder: string;
let registry: ServerType;
let port: number;
let status: number;
let deprecation: unknown;

beforeEach(async () => {
  [status, deprecation] = [200, { reason: 'Old.\u001b[2J', link: 'https://wiki.acme.example/' }];
  const answer = (request: Request): Response => {
    if (request.method === 'POST') return Response.json({ errors: ['Not Found'] }, { status: 404 });
    if (request.headers.get('authorization') !== `Bearer ${TOKEN}`) return new Response('{}', { status: 401 });
    const versions = [{ version: '1.0.0', deprecation }];
    return Response.json({ modules: [{ versions }] }, { status, headers: { 'retry-after': '0' } });
  };
  port = await new Promise((resolve) => {
    registry = serve({ fetch: answer, hostname: '127.0.0.1', port: 0 }, (address) => resolve(address.port));
  });
  folder = mkdtempSync(join(tmpdir(), 'postern-check-'));
  mkdirSync(join(folder, '.terraform', 'modules'), { recursive: true });
  writeFileSync(join(folder, '.terraform', 'modules', 'modules.json'), JSON.stringify(MANIFEST));
  writeFileSync(
    join(folder, 'cli.tfrc'),
    `host "${HOST}" { services = { "modules.v1" = "http://127.0.0.1:${port}/m/" } }`,
  );
});
afterEach(async () => {
  await new Promise((resolve) => registry.close(resolve));
  rmSync(folder, { recursive: true });
});

async function check(args: readonly string[], more: { token?: string; input?: string } = {}) {
  const started = startPostern(['registry', 'check', ...args], {
    cwd: folder,
    environment: {
      TF_CLI_CONFIG_FILE: join(folder, 'cli.tfrc'),
      TF_TOKEN_registry_acme_test: more.token ?? TOKEN,
      TF_DATA_DIR: '',
    },
    input: more.input ?? '',
  });
  const code = await started.ended;
  expect(started.stdout() + started.stderr()).not.toContain(TOKEN);
  return { code, out: started.stdout(), problems: started.stderr() };
}

describe('the exit code', () => {
  it.each<[string, readonly string[], number]>([
    ['a finding that nobody fails on', [], 0],
    ['a finding', ['--fail-on=deprecated'], 1],
    ['another finding', ['--fail-on=revoked,sunset'], 0],
    ['invalid usage', ['--fail-on=all'], 2],
    ['a directory where nothing is installed', ['elsewhere'], 3],
  ])('of %s', async (_name, args, code) => {
    expect((await check(args)).code).toBe(code);
  });

  it('is never that of clean modules where the check failed', async () => {
    expect((await check([], { token: 'wrong' })).code).toBe(3);
    expect((await check(['--offline-ok'], { token: 'wrong' })).code).toBe(3);
  });

  it('tells a registry that is down from one that is clean', async () => {
    status = 503;
    const { code, out, problems } = await check(['--fail-on=deprecated']);
    expect([code, out]).toEqual([3, 'No module version was checked.\n']);
    expect(problems).toMatch(/server_error/);
    expect((await check(['--offline-ok'])).code).toBe(0);
    const other = await check(['--registry=other.test']);
    expect(other.code).toBe(0);
    expect(other.problems).toMatch(/^Skipped.*no installed module comes from other\.test\n$/s);
  });
});

it('prints the warning, without colours and without what acts on a terminal', async () => {
  const { out, problems } = await check([]);
  expect(out).toBe(
    [
      'Found the following deprecated module versions, consider using an updated version.',
      '',
      `  ${HOST}/acme/network/aws 1.0.0: Old.\\u001b[2J`,
      '    More information: https://wiki.acme.example/',
      '    Used by module.net',
      '',
      `Checked 1 module version with ${HOST}: 1 deprecated, 0 revoked. Not from a registry: 1 module call.`,
      '',
    ].join('\n'),
  );
  expect(problems).toBe('');
});

it('is clean after the version was reinstated', async () => {
  deprecation = null;
  const { code, out } = await check(['--fail-on=deprecated']);
  expect([code, out.split(':')[1]?.trim()]).toEqual([0, '0 deprecated, 0 revoked. Not from a registry']);
});

it('reads a list from the standard input, and writes JSON', async () => {
  const list = { format_version: '1.0', modules: [{ key: 'a', source: `${HOST}/acme/network/aws`, version: '1.0.0' }] };
  const { code, out } = await check(['-', '--json', '--fail-on=deprecated'], { input: JSON.stringify(list) });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ exit_code: 1, versions: [{ state: 'deprecated', callers: ['module.a'] }] });
  expect((await check(['-'], { input: 'no list' })).code).toBe(3);
});

it('asks the address that --registry names', async () => {
  const address = `--registry=${HOST}=http://127.0.0.1:${port}/m/`;
  writeFileSync(join(folder, 'cli.tfrc'), 'a file that { is not read');
  const { code, problems } = await check([address, '--fail-on=deprecated']);
  expect(code).toBe(1);
  expect(problems).toMatch(/cli\.tfrc cannot be read/);
});
