/** What is of principals on the wire (STS-6, ROTATE-1): the server-ID header of each profile, and rotate-root. */
import type { AccessKeys } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { createServer, type PosternServer, type ServerOptions } from './create-server.js';

const servers: PosternServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(500)));
});

const SERVER_ID = 'postern.example.org';

async function embed(profile: 'neutral' | 'vault', more: Partial<ServerOptions['provider']> = {}) {
  const clock = { now: () => Date.now() };
  const cloud = createFakeCloud({ clock });
  const { sts } = cloud;
  const server = await createServer({
    storage: createMemoryStorage(),
    audit: { record: () => undefined },
    profile,
    provider: {
      ...cloud,
      ...more,
    },
  });
  servers.push(server);
  const root = await server.method.createRootToken();
  const mount = profile === 'vault' ? 'auth/aws' : 'auth/cloud';
  const post = async (path: string, body: object, token?: string) => {
    const name = profile === 'vault' ? 'x-vault-token' : 'x-service-token';
    const response = await fetch(`${server.url}/v1/${mount}/${path}`, {
      method: 'POST',
      headers: token === undefined ? {} : { [name]: token },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
  return { cloud, sts, manage: (path: string, body: object) => post(path, body, root), post };
}

describe.each([
  ['neutral', 'X-Service-Cloud-IAM-Server-ID', 'resolve_cloud_unique_ids'],
  ['vault', 'X-Vault-AWS-IAM-Server-ID', 'resolve_aws_unique_ids'],
] as const)('in the %s profile', (profile, headerName, resolve) => {
  async function withRole() {
    const test = await embed(profile);
    const role = test.cloud.createRole({ name: 'deploy' });
    await test.manage('role/deploy', { bound_iam_principal_arn: role.arn, [resolve]: false });
    await test.manage('config/client', { iam_server_id_header_value: SERVER_ID });
    const credentials = test.sts.assumeRole(role, { sessionName: 'build-17' });
    return { ...test, credentials };
  }

  it(`a principal logs in with ${headerName}`, async () => {
    const test = await withRole();
    for (const headersForm of ['base64', 'json', 'object', 'list'] as const) {
      const how = { credentials: test.credentials, serverId: SERVER_ID, headerName, headersForm };
      const { status, body } = await test.post('login', { ...test.sts.signLogin(how) });
      expect([headersForm, status]).toEqual([headersForm, 200]);
      expect(body.auth.metadata).toMatchObject({ auth_type: 'iam', account_id: test.cloud.ownAccountId });
    }
  });

  it.each([
    ['is missing', {}],
    ['is that of the other profile', { serverId: SERVER_ID, headerName: other(headerName) }],
    ['names another server', { serverId: 'evil.example.org', headerName }],
  ])('and not where that header %s', async (_name, how) => {
    const test = await withRole();
    const fields = test.sts.signLogin({ credentials: test.credentials, ...how });
    const { status, body } = await test.post('login', { ...fields });
    expect([status, body.code]).toEqual([400, 'evidence_unverified']);
    expect(test.sts.calls).toEqual([]);
  });

  it('a provider that sheds load is 503 with Retry-After', async () => {
    const test = await withRole();
    test.sts.behaviour.throttle({ retryAfterSeconds: 7 });
    const fields = test.sts.signLogin({ credentials: test.credentials, serverId: SERVER_ID, headerName });
    const { status, retryAfter, body } = await test.post('login', { ...fields });
    expect([status, retryAfter, body.code]).toEqual([503, '7', 'provider_unavailable']);
  });
});

describe('rotate-root over HTTP', () => {
  const key = { access_key: 'AKIAOLDOLDOLDOLDOLD1', secret_key: 'canary-old' };

  function keys(ids: string[]): AccessKeys {
    return {
      list: async () => [...ids],
      create: async () => {
        if (ids.length > 1) return undefined;
        ids.push('AKIANEWNEWNEWNEWNEW1');
        return { accessKeyId: 'AKIANEWNEWNEWNEWNEW1', secretAccessKey: 'canary-new' };
      },
      prove: async () => true,
      delete: async (_pair, id) => {
        ids.splice(ids.indexOf(id), 1);
      },
    };
  }

  it('answers with the new key and nothing else', async () => {
    const test = await embed('neutral', { accessKeys: keys([key.access_key]) });
    await test.manage('config/client', key);
    const { status, body } = await test.manage('config/rotate-root', {});
    expect([status, body.data]).toEqual([200, { access_key: 'AKIANEWNEWNEWNEWNEW1' }]);
    expect(JSON.stringify(body)).not.toContain('canary');
  });

  it.each([
    ['without a provider of keys', undefined, key, 'rotation_not_enabled'],
    ['without a static key', [key.access_key], {}, 'rotation_static_key_missing'],
    ['with a second key', [key.access_key, 'AKIAOTHEROTHEROTHER1'], key, 'rotation_key_limit'],
  ])('is 400 %s', async (_name, ids, config, code) => {
    const test = await embed('neutral', ids === undefined ? {} : { accessKeys: keys([...ids]) });
    await test.manage('config/client', config);
    const { status, body } = await test.manage('config/rotate-root', {});
    expect([status, body.code]).toEqual([400, code]);
  });

  it('is 403 without a token', async () => {
    const test = await embed('neutral', { accessKeys: keys([key.access_key]) });
    expect((await test.post('config/rotate-root', {})).status).toBe(403);
  });
});

function other(headerName: string): string {
  return headerName.startsWith('X-Vault') ? 'X-Service-Cloud-IAM-Server-ID' : 'X-Vault-AWS-IAM-Server-ID';
}
