/** `postern keys` as an operator meets it: a child process against a running server (STORE-7). */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostern } from '@postern/internal';
import { createServer, type ServerOptions } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.js';
import { type KeysCommand, parseKeysCommandLine } from './keys-command-line.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const COPYING: ServerOptions['keyWrapper'] = {
  id: 'copying',
  wrap: async (key) => key,
  unwrap: async (wrapped) => wrapped,
};

async function site(options: Partial<ServerOptions> = {}) {
  const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
  const profile = options.profile ?? 'neutral';
  const server = await createServer({
    storage: createMemoryStorage(),
    audit: { record: () => undefined },
    provider: { ...cloud, builtInCertificates: cloud.defaultCertificates() },
    keyWrapper: COPYING,
    ...options,
  });
  const folder = mkdtempSync(join(tmpdir(), 'postern-keys-'));
  ends.push(
    () => rmSync(folder, { recursive: true }),
    () => server.close(200),
  );
  const root = await server.method.createRootToken();
  const [address, variable] = profile === 'vault' ? ['VAULT_ADDR', 'VAULT_TOKEN'] : ['POSTERN_ADDR', 'POSTERN_TOKEN'];
  return {
    root,
    server,
    folder,
    async writeRoles(count: number) {
      for (let at = 0; at < count; at += 1) {
        const fields = { auth_type: 'ec2', bound_ami_id: 'ami-1', role_tag: 'gate' };
        const call = { requestId: 'test', peerAddress: undefined, operation: 'role.write', fields };
        await server.method.handleAsHost({ ...call, params: { role: `r${at}` } });
      }
    },
    async keys(args: readonly string[], environment: Record<string, string> = {}) {
      const started = startPostern(['keys', ...args], {
        cwd: folder,
        environment: { [address]: server.url, [variable]: root, ...environment },
      });
      const code = await started.ended;
      return { code, out: started.stdout(), problems: started.stderr() };
    },
  };
}

describe('a running server', () => {
  it('lists its data keys, makes another, and seals every secret under that', async () => {
    const { keys, writeRoles } = await site();
    await writeRoles(3);
    const { out: one } = await keys(['list']);
    expect(one).toMatch(/^[0-9a-f]{16} {2}copying {2}\(seals\)\n$/);
    const rotated = await keys(['rotate']);
    expect([rotated.code, rotated.out]).toEqual([
      0,
      'made a new data key; there are 2; "postern keys rewrap" seals every secret under it\n',
    ]);
    const { code, out, problems } = await keys(['rewrap']);
    expect([code, problems]).toEqual([0, '']);
    expect(out).toMatch(/^5 records checked, 4 sealed again; 0 data keys wrapped again\n$/);
    const { out: two } = await keys(['list']);
    expect(two).toBe(`${one.replace('  (seals)', '')}${two.split('\n')[1]}\n`);
    expect(two).toMatch(/copying {2}\(seals\)\n$/);
  }, 60_000);

  it('is managed in the vault profile too', async () => {
    const { keys, writeRoles } = await site({ profile: 'vault' });
    await writeRoles(1);
    expect((await keys(['list', '--profile', 'vault'])).out).toMatch(/^[0-9a-f]{16} {2}copying {2}\(seals\)\n$/);
  });
});

it('rewrap asks until all is done, and shows how far it is', async () => {
  const answers = [
    { rewrapped: 2, resealed: 900, examined: 1_000, total: 2_020, next: 'roles/m' },
    { rewrapped: 0, resealed: 1_000, examined: 1_000, total: null, next: 'roles/\u001b[2Jw' },
    { rewrapped: 0, resealed: 7, examined: 21, total: null, next: null },
  ];
  const asked: unknown[] = [];
  const server = createHttpServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => asked.push(JSON.parse(text)));
    request.on('end', () => response.end(JSON.stringify({ data: answers[asked.length - 1] })));
  }).listen(0, '127.0.0.1');
  ends.push(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const environment = { POSTERN_ADDR: `http://127.0.0.1:${port}`, POSTERN_TOKEN: 'pst_t' };
  const started = startPostern(['keys', 'rewrap'], { environment });
  expect(await started.ended).toBe(0);
  expect(started.stderr()).toBe(
    '1000 of 2020 records checked, 900 sealed again\n2000 of 2020 records checked, 1900 sealed again\n',
  );
  expect(started.stdout()).toBe('2021 records checked, 1907 sealed again; 2 data keys wrapped again\n');
  expect(asked).toEqual(['', 'roles/m', 'roles/\u001b[2Jw'].map((after) => ({ limit: 1_000, after })));
});

describe('the exit code', () => {
  it('is 3 for a token without the right, and nothing of the token shows', async () => {
    const { keys } = await site();
    const { code, out, problems } = await keys(['rotate'], { POSTERN_TOKEN: 'pst_stranger' });
    expect([code, out]).toEqual([3, '']);
    expect(problems).toMatch(/^postern: permission_denied: .* \(request [\w-]+\)\n$/);
    expect(problems).not.toContain('stranger');
  });

  it('is 1 where nothing is sealed, the server is gone, or the token file is missing', async () => {
    const plain = await site({ keyWrapper: undefined });
    expect((await plain.keys(['list'])).problems).toBe('postern: secrets in storage are not sealed here\n');
    const unsealed = await plain.keys(['rotate']);
    expect([unsealed.code, unsealed.problems.split(':')[1]]).toEqual([1, ' sealing_not_configured']);
    expect((await plain.keys(['list', '--token-file', 'missing'])).problems).toBe(
      'postern: unexpected Error (ENOENT)\n',
    );
    await plain.server.close(0);
    const gone = await plain.keys(['rotate']);
    expect([gone.code, gone.problems]).toEqual([1, expect.stringContaining('server_unreachable')]);
  }, 60_000);

  it('is 2 for an address in the clear, and 0 for help', async () => {
    const { keys } = await site();
    const clear = await keys(['list', '--url', 'http://postern.test']);
    expect([clear.code, clear.problems.split('\n').slice(0, 3)]).toEqual([
      2,
      [expect.any(String), '', expect.stringMatching(/^postern keys:/)],
    ]);
    expect((await keys(['--help'])).out).toMatch(/^postern keys: /);
  });

  it('is 0 with the token in a file', async () => {
    const { keys, folder, root } = await site();
    writeFileSync(join(folder, 'token'), `${root}\n`);
    expect((await keys(['list', '--token-file', 'token'], { POSTERN_TOKEN: '' })).code).toBe(0);
  });
});

describe('the command line', () => {
  const URL = 'https://postern.test';
  const plain: KeysCommand = {
    name: 'keys',
    verb: 'list',
    url: URL,
    profile: 'neutral',
    mountPath: undefined,
    namespace: undefined,
    tokenFile: undefined,
    tokenVariable: 'POSTERN_TOKEN',
  };

  it.each<[string, Partial<KeysCommand>]>([
    ['list', {}],
    ['rewrap --mount auth/x --token-file t', { verb: 'rewrap', mountPath: 'auth/x', tokenFile: 't' }],
    [
      'rotate --profile vault --url https://vault.test',
      { verb: 'rotate', profile: 'vault', url: 'https://vault.test', tokenVariable: 'VAULT_TOKEN' },
    ],
  ])('keys %s', (line, expected) => {
    const environment = { POSTERN_ADDR: URL, POSTERN_TOKEN: 't', VAULT_TOKEN: 't' };
    expect(parseKeysCommandLine(line.split(' '), environment)).toEqual({ ...plain, ...expected });
  });

  it.each([
    ['', 'missing command'],
    ['forget', 'unknown command "keys forget"'],
    ['list all', 'unexpected argument "all"'],
    ['list --token t', "unknown option '--token'"],
    ['list --token-file=', '--token-file: missing value'],
    ['list --profile other', '--profile: unknown profile'],
    ['list', 'missing server URL; set --url or POSTERN_ADDR'],
    ['list --url https://postern.test', 'missing token; set --token-file or POSTERN_TOKEN'],
  ])('keys %s: %s', (line, problem) => {
    const parse = () => parseKeysCommandLine(line.split(' ').filter(Boolean), {});
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(problem);
  });
});
