/** `postern login` as a script meets it: a child process, its outputs, its files and its exit code. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostern } from '@postern/internal';
import { createServer, type PosternServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, type FakeImds, startFakeImds } from '@postern/testkit';
import { afterEach, describe, expect, it } from 'vitest';

type Profile = 'neutral' | 'vault';
const open: { close(): unknown }[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function site(profile: Profile = 'neutral') {
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock });
  const { sts } = cloud;
  const instance = cloud.launchInstance();
  const server: PosternServer = await createServer({
    storage: createMemoryStorage(),
    audit: { record: () => undefined },
    profile,
    provider: {
      ...cloud,
      builtInCertificates: cloud.defaultCertificates(),
    },
  });
  const imds: FakeImds = await startFakeImds(instance);
  open.push({ close: () => server.close(200) }, imds);
  const folder = mkdtempSync(join(tmpdir(), 'postern-login-'));
  folders.push(folder);
  const write = async (path: string, fields: object) => {
    const { method } = server;
    const call = { requestId: 'test', peerAddress: undefined, token: undefined, params: {} };
    const [operation, params] = path.startsWith('role/')
      ? (['role.write', { role: path.slice(5) }] as const)
      : (['config.client.write', {}] as const);
    await method.handleAsHost({ ...call, operation, params, fields: { ...fields } });
  };
  await write('role/web', { auth_type: 'ec2', bound_ami_id: instance.imageId, token_policies: 'web' });
  const login = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const address = profile === 'vault' ? 'VAULT_ADDR' : 'POSTERN_ADDR';
    const started = startPostern(['login', ...args], {
      cwd: folder,
      environment: {
        AWS_EC2_METADATA_SERVICE_ENDPOINT: imds.url,
        AWS_ACCESS_KEY_ID: '',
        XDG_STATE_HOME: join(folder, 'state'),
        [address]: server.url,
        ...environment,
      },
    });
    const code = await started.ended;
    return { code, out: started.stdout(), problems: started.stderr() };
  };
  const policiesOf = async (token: string) => {
    const response = await fetch(`${server.url}/v1/auth/token/lookup-self`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const body: { data?: { policies?: string[] } } = JSON.parse(await response.text());
    return body.data?.policies;
  };
  return { cloud, sts, instance, imds, folder, write, login, policiesOf };
}

describe.each<[Profile, string[]]>([
  ['neutral', []],
  ['vault', ['--profile', 'vault']],
])('in the %s profile', (profile, more) => {
  it('an instance gets a token on the standard output, time and again', async () => {
    const { folder, login, policiesOf } = await site(profile);
    for (let time = 0; time < 2; time += 1) {
      const { code, out, problems } = await login(['--role', 'web', ...more]);
      expect([code, problems]).toEqual([0, '']);
      expect(await policiesOf(out.trimEnd())).toEqual(['default', 'web']);
    }
    expect(readdirSync(join(folder, 'state', 'postern', 'nonces'))).toHaveLength(1);
    const { code, out, problems } = await login(['--role', 'web', '--nonce-folder', 'elsewhere', ...more]);
    expect([code, out]).toEqual([3, '']);
    expect(problems).toMatch(/^postern: login denied: nonce_mismatch: .* \(request [\w-]+\)\n$/);
  });

  it('a principal gets a token in a file of its own', async () => {
    const { cloud, sts, write, login, policiesOf, folder, imds } = await site(profile);
    const role = cloud.createRole({ name: 'deploy' });
    await write('role/deploy', { bound_iam_principal_arn: role.arn, resolve_cloud_unique_ids: false });
    await write('config/client', { iam_server_id_header_value: 'postern.test' });
    const keys = sts.assumeRole(role, { sessionName: 'build-17' });
    const environment = {
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_SESSION_TOKEN: keys.sessionToken ?? '',
    };
    const args = ['--iam', '--role', 'deploy', '--token-file', 'token', ...more];
    const refused = await login(args, environment);
    expect([refused.code, refused.out]).toEqual([3, '']);
    expect(readdirSync(folder)).toEqual([]);
    const { code, out, problems } = await login([...args, '--server-id', 'postern.test'], environment);
    expect([code, out]).toEqual([0, '']);
    const signed = /^postern: signed with the keys of the environment .+, access key ASIA\w+\n$/;
    expect(problems).toMatch(signed);
    const file = join(folder, 'token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await policiesOf(readFileSync(file, 'utf8').trimEnd())).toEqual(['default']);
    expect(imds.calls).toEqual([]);
  });
});

it('a principal without keys in the environment is the role of the instance', async () => {
  const { cloud, sts, imds, write, login, policiesOf } = await site();
  const role = cloud.createRole({ name: 'app' });
  await write('role/app', { bound_iam_principal_arn: role.arn, resolve_cloud_unique_ids: false });
  const keys = sts.assumeRole(role, { sessionName: 'i-1' });
  const folder = '/latest/meta-data/iam/security-credentials/';
  imds.files.set(folder, 'app');
  const document = {
    Code: 'Success',
    AccessKeyId: keys.accessKeyId,
    SecretAccessKey: keys.secretAccessKey,
    Token: keys.sessionToken,
    Expiration: new Date(Date.now() + 3_600_000).toISOString(),
  };
  imds.files.set(`${folder}app`, JSON.stringify(document));
  const { code, out } = await login(['--iam']);
  expect(code).toBe(0);
  expect(await policiesOf(out.trimEnd())).toEqual(['default']);
});

describe('the exit code', () => {
  it('is 1 where the server does not respond, or the file cannot be written', async () => {
    const { imds, login, folder } = await site();
    const lost = await login(['--role', 'web', '--token-file', 'missing/token']);
    expect([lost.code, lost.out, lost.problems]).toEqual([1, '', 'postern: unexpected Error (ENOENT)\n']);
    writeFileSync(join(folder, 'file'), '');
    const unkept = await login(['--role', 'web', '--nonce-folder', 'file']);
    expect([unkept.code, unkept.problems]).toEqual([1, expect.stringMatching(/login failed: nonce_/)]);
    imds.tokenStatus = 403;
    const off = await login(['--role', 'web']);
    expect([off.code, off.problems]).toEqual([1, expect.stringMatching(/login failed: metadata_disabled/)]);
  });

  it.each([
    ['an address in the clear', ['--url', 'http://postern.test']],
    ['a mount that is none', ['--mount', '../sys']],
    ['no such option', ['--what']],
    ['a region that is none', ['--iam', '--region', 'evil.test/']],
  ])('is 2 for %s', async (_name, args) => {
    const { code, out, problems } = await (await site()).login(args);
    expect([code, out]).toEqual([2, '']);
    expect(problems).toMatch(/^postern: .+\n\npostern login:/);
  });

  it('is 0 for help', async () => {
    const { code, out } = await (await site()).login(['--help']);
    expect([code, out.split(':')[0]]).toEqual([0, 'postern login']);
  });
});
