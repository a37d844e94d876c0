/** `postern login --iam` in the environments that AWS gives programs: each is itself, and never what it merely runs on. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostern } from '@postern/internal';
import { createServer, type PosternServer } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, type FakeImds, startFakeImds } from '@postern/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'postern-identity-'));
const cloud = createFakeCloud({ clock: { now: () => Date.now() } });
const expiration = new Date(Date.now() + 3_600_000).toISOString();
let server: PosternServer;
let imds: FakeImds;
let platform: { readonly url: string; readonly asked: string[]; close(): void };

const anyArn = cloud.createRole({ name: 'any' }).arn;
const arnOf = (role: string) => anyArn.replace(/any$/, role);
const roles = new Map<string, ReturnType<typeof cloud.createRole>>();

/** Keys of a session of the role of that name, which is made at the first. */
function keysOf(name: string) {
  const role = roles.get(name) ?? cloud.createRole({ name });
  roles.set(name, role);
  const {
    accessKeyId,
    secretAccessKey,
    sessionToken = '',
  } = cloud.sts.assumeRole(role, {
    sessionName: 'session',
  });
  return { accessKeyId, secretAccessKey, sessionToken };
}

/** STS, the portal of single sign-on and the credential agent of a container, on one address. */
async function startPlatform() {
  const asked: string[] = [];
  const http = createHttpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { pathname } = new URL(request.url ?? '', 'http://platform');
    const form = new URLSearchParams(body);
    asked.push(form.get('Action') ?? pathname);
    if (form.get('Action') === 'AssumeRoleWithWebIdentity') {
      if (form.get('WebIdentityToken') !== 'token of the pod') {
        response.writeHead(400, { 'content-type': 'text/xml' });
        response.end(
          '<ErrorResponse><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code><Message>no</Message></Error></ErrorResponse>',
        );
        return;
      }
      const keys = keysOf('web-identity');
      response.setHeader('content-type', 'text/xml');
      response.end(
        `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${keys.accessKeyId}</AccessKeyId><SecretAccessKey>${keys.secretAccessKey}</SecretAccessKey><SessionToken>${keys.sessionToken}</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
      );
      return;
    }
    response.setHeader('content-type', 'application/json');
    if (pathname === '/federation/credentials') {
      const isLoggedIn = request.headers['x-amz-sso_bearer_token'] === 'cached token';
      const expirationMs = Date.parse(expiration);
      response.statusCode = isLoggedIn ? 200 : 401;
      response.end(
        JSON.stringify(isLoggedIn ? { roleCredentials: { ...keysOf('sso'), expiration: expirationMs } } : {}),
      );
      return;
    }
    if (pathname === '/ecs' || (pathname === '/eks' && request.headers.authorization === 'token of the agent')) {
      const { accessKeyId, secretAccessKey, sessionToken } = keysOf(pathname.slice(1));
      const keys = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken };
      response.end(JSON.stringify({ ...keys, Expiration: expiration }));
      return;
    }
    response.writeHead(403).end('{}');
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, asked, close: () => http.close() };
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

beforeAll(async () => {
  server = await createServer({
    storage: createMemoryStorage(),
    audit: { record: () => undefined },
    provider: { ...cloud, builtInCertificates: cloud.defaultCertificates() },
  });
  await server.method.call('config.identity.write', {}, { iam_metadata: ['canonical_arn'] });
  await server.method.roles.write('any', {
    auth_type: 'iam',
    bound_iam_principal_arn: arnOf('*'),
    resolve_cloud_unique_ids: false,
  });
  imds = await startFakeImds(cloud.launchInstance());
  const { accessKeyId, secretAccessKey, sessionToken } = keysOf('instance');
  const role = '/latest/meta-data/iam/security-credentials/';
  imds.files.set(role, 'instance');
  const keys = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken };
  imds.files.set(`${role}instance`, JSON.stringify({ Code: 'Success', Expiration: expiration, ...keys }));
  platform = await startPlatform();
});
afterAll(async () => {
  platform.close();
  await Promise.all([server.close(200), imds.close()]);
  rmSync(folder, { recursive: true });
});

async function login(environment: Record<string, string>) {
  imds.calls.length = 0;
  const cleared = Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => name.startsWith('AWS_'))
      .map((name) => [name, '']),
  );
  const started = startPostern(['login', '--iam', '--role', 'any', '--url', server.url], {
    cwd: folder,
    environment: {
      ...cleared,
      AWS_EC2_METADATA_SERVICE_ENDPOINT: imds.url,
      AWS_CONFIG_FILE: join(folder, 'no-config'),
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'no-credentials'),
      AWS_ENDPOINT_URL_STS: platform.url,
      AWS_ENDPOINT_URL_SSO: platform.url,
      HOME: folder,
      ...environment,
    },
  });
  const code = await started.ended;
  return { code, token: started.stdout().trimEnd(), told: started.stderr() };
}

async function principalOf(token: string): Promise<string | undefined> {
  const response = await fetch(`${server.url}/v1/auth/token/lookup-self`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { data } = JSON.parse(await response.text()) as { data?: { meta?: Record<string, string> } };
  return data?.meta?.['canonical_arn'];
}

const environmentOf = (name: string) => {
  const { accessKeyId, secretAccessKey, sessionToken } = keysOf(name);
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken };
};

const webIdentity = (token: string) => ({
  AWS_REGION: 'eu-west-1',
  AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/web-identity',
  AWS_WEB_IDENTITY_TOKEN_FILE: file('web-identity-token', token),
});

/** As `aws sso login` leaves it. */
function singleSignOn(session: string, expiresAt: number) {
  const cache = join(folder, '.aws', 'sso', 'cache');
  mkdirSync(cache, { recursive: true });
  const kept = { accessToken: 'cached token', expiresAt: new Date(expiresAt).toISOString(), region: 'us-east-1' };
  writeFileSync(join(cache, `${createHash('sha1').update(session).digest('hex')}.json`), JSON.stringify(kept));
  return {
    AWS_PROFILE: 'work',
    AWS_CONFIG_FILE: file(
      'config',
      `[profile work]
sso_session = ${session}
sso_account_id = ${arnOf('sso').split(':')[4]}
sso_role_name = sso
[sso-session ${session}]
sso_region = us-east-1
sso_start_url = https://example.awsapps.com/start
`,
    ),
  };
}

function linesOf(name: string): readonly string[] {
  const { accessKeyId, secretAccessKey, sessionToken } = keysOf(name);
  return [
    `aws_access_key_id = ${accessKeyId}`,
    `aws_secret_access_key = ${secretAccessKey}`,
    `aws_session_token = ${sessionToken}`,
  ];
}

const profile = (lines: readonly string[]) => ({
  AWS_PROFILE: 'work',
  AWS_CONFIG_FILE: file('config', ['[profile work]', ...lines, ''].join('\n')),
});

describe('the identity is that of', () => {
  it.each<[title: string, role: string, says: RegExp, environment: () => Record<string, string>]>([
    [
      'the keys in the environment',
      'environment',
      /environment \(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY\), access key ASIA/,
      () => environmentOf('environment'),
    ],
    ['a profile with keys', 'profile-keys', /profile \(AWS_PROFILE\)/, () => profile(linesOf('profile-keys'))],
    [
      'a profile, though there are keys in the environment',
      'profile-first',
      /profile \(AWS_PROFILE\)/,
      () => ({ ...environmentOf('environment'), ...profile(linesOf('profile-first')) }),
    ],
    [
      'a profile with a credential process',
      'process',
      /profile \(AWS_PROFILE\)/,
      () => {
        const { accessKeyId, secretAccessKey, sessionToken } = keysOf('process');
        const answer = {
          Version: 1,
          AccessKeyId: accessKeyId,
          SecretAccessKey: secretAccessKey,
          SessionToken: sessionToken,
          Expiration: expiration,
        };
        return profile([`credential_process = cat ${file('process.json', JSON.stringify(answer))}`]);
      },
    ],
    [
      'a profile with single sign-on',
      'sso',
      /profile \(AWS_PROFILE\)/,
      () => singleSignOn('in', Date.now() + 3_600_000),
    ],
    [
      'the default profile',
      'default-profile',
      /default profile, access key/,
      () => ({
        AWS_SHARED_CREDENTIALS_FILE: file('credentials', ['[default]', ...linesOf('default-profile'), ''].join('\n')),
      }),
    ],
    [
      'a pod with a service account (IRSA)',
      'web-identity',
      /web identity \(AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN\)/,
      () => webIdentity('token of the pod'),
    ],
    [
      'a task (ECS)',
      'ecs',
      /container \(AWS_CONTAINER_CREDENTIALS_FULL_URI\)/,
      () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${platform.url}/ecs` }),
    ],
    [
      'a pod with an agent (EKS Pod Identity)',
      'eks',
      /container \(AWS_CONTAINER_CREDENTIALS_FULL_URI\)/,
      () => ({
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${platform.url}/eks`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file('agent-token', 'token of the agent'),
      }),
    ],
    ['the instance', 'instance', /role of the instance, access key ASIA/, () => ({})],
  ])('%s', async (_title, role, says, environment) => {
    const { code, token, told } = await login(environment());
    expect([code, told]).toEqual([0, expect.stringMatching(says)]);
    expect(told).toMatch(/^postern: signed with the keys of the .+\n$/);
    expect(await principalOf(token)).toBe(arnOf(role));
    if (role !== 'instance') expect(imds.calls).toEqual([]);
  });
});

describe('signs as nobody else where variables name a source that gives no keys:', () => {
  it.each<[title: string, says: RegExp, environment: () => Record<string, string>]>([
    [
      'a profile that is not there',
      /the profile \(AWS_PROFILE\).*: check that the profile is in/,
      () => ({ AWS_PROFILE: 'lost' }),
    ],
    [
      'single sign-on that has expired',
      /the profile \(AWS_PROFILE\).*log in again/,
      () => singleSignOn('out', Date.now() - 1000),
    ],
    [
      'half a key, on a machine with a profile',
      /the environment \(AWS_ACCESS_KEY_ID\): set both variables/,
      () => ({
        AWS_ACCESS_KEY_ID: 'AKIAHALF',
        AWS_SHARED_CREDENTIALS_FILE: file('credentials', ['[default]', ...linesOf('other'), ''].join('\n')),
      }),
    ],
    [
      'a token file that is not there',
      /web identity \(.*\) \(ENOENT\): .*token file/,
      () => ({ ...webIdentity(''), AWS_WEB_IDENTITY_TOKEN_FILE: 'lost' }),
    ],
    [
      'a token that STS refuses',
      /web identity \(.*\) \(InvalidIdentityToken.*\): .*trust policy/,
      () => webIdentity('of another'),
    ],
    [
      'a role without a token file',
      /web identity \(AWS_ROLE_ARN\): set both/,
      () => ({ AWS_ROLE_ARN: 'arn:aws:iam::1:role/x' }),
    ],
    [
      'an agent that refuses',
      /container \(AWS_CONTAINER_CREDENTIALS_FULL_URI\)/,
      () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${platform.url}/no` }),
    ],
    [
      'an agent on another machine',
      /container \(AWS_CONTAINER_CREDENTIALS_FULL_URI\)/,
      () => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://192.0.2.1/' }),
    ],
    [
      'a process that fails',
      /the profile \(AWS_PROFILE\)/,
      () => profile(['credential_process = sh -c "echo secret-of-the-process >&2; exit 1"']),
    ],
  ])('%s', async (_title, says, environment) => {
    const { code, token, told } = await login(environment());
    expect([code, token, told]).toEqual([1, '', expect.stringMatching(says)]);
    expect(told).toMatch(/^postern: login failed: no AWS credentials from the .+\n$/);
    expect(told).not.toContain('secret-of-the-process');
    expect(imds.calls).toEqual([]);
  });

  it('instance metadata that is switched off', async () => {
    const { code, told } = await login({ AWS_EC2_METADATA_DISABLED: 'true' });
    expect([code, told]).toEqual([
      1,
      expect.stringMatching(/^postern: login failed: no AWS credentials: set AWS_PROFILE/),
    ]);
    expect(imds.calls).toEqual([]);
  });
});
