/** Batch tokens from login to their end (BATCH-1, TOKEN-10). */
import { inspect } from 'node:util';
import { decodeBase64Url, encodeBase64Url } from '@postern/kernel';
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createIamWorld } from '../../test/create-iam-world.js';
import {
  codeOf,
  createTestMethod,
  START,
  type TestMethodOptions,
  tokenParameters,
} from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';
import { isBatchTokenText } from './issue-token.js';

const HOUR = 3600;

async function world(parameters: Partial<Role['token']> = {}, how: TestMethodOptions = {}) {
  const test = createTestMethod(how);
  const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
  await test.putRole({ token: tokenParameters({ type: 'batch', ttlSeconds: HOUR, policies: ['dev'], ...parameters }) });
  const root = await test.method.createRootToken();
  const auth = await test.login(instance, { nonce: 'N' });
  const self = (more = {}) => test.call('token.lookup-self', { token: auth.client_token, ...more });
  return { ...test, instance, root, auth, token: auth.client_token, self };
}

describe('a login against a role of batch tokens', () => {
  it('is answered with a token without accessor that is not renewable', async () => {
    const { auth } = await world();
    expect(auth).toEqual({
      client_token: expect.stringMatching(/^pst_b_[\w-]{100,}$/),
      accessor: '',
      policies: ['default', 'dev'],
      token_policies: ['default', 'dev'],
      metadata: expect.objectContaining({ role: 'r', auth_type: 'ec2' }),
      lease_duration: HOUR,
      renewable: false,
      entity_id: expect.any(String),
      token_type: 'batch',
      orphan: true,
      mfa_requirement: null,
      num_uses: 0,
    });
  });

  it('stores nothing of the token, and the access-list entry all the same', async () => {
    const { tokens, entry, memory, token } = await world();
    expect(await tokens()).toHaveLength(1);
    expect(await entry('i-1')).toMatchObject({ role: 'r', clientNonce: 'N' });
    const all = await memory.list('', { limit: 1000, values: true });
    expect(JSON.stringify(all)).not.toContain(token.slice(6, 60));
  });

  it('works for principals too', async () => {
    const test = createIamWorld();
    const bob = test.cloud.createUser({ name: 'bob' });
    await test.putIamRole({
      name: 'bob',
      boundIamPrincipalArns: [bob.arn],
      token: tokenParameters({ type: 'batch' }),
    });
    const auth = await test.signIn(test.sts.issueAccessKey(bob));
    expect(auth).toMatchObject({ token_type: 'batch', accessor: '', renewable: false });
    expect((await test.call('token.lookup-self', { token: auth.client_token })).data).toMatchObject({ type: 'batch' });
    expect(await test.tokens()).toEqual([]);
  });

  it('stores its event with the access-list entry', async () => {
    let isDown = false;
    const test = createTestMethod({
      audit: () => {
        if (isDown) throw new Error('disk full');
      },
    });
    await test.putRole({ token: tokenParameters({ type: 'batch' }) });
    const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
    isDown = true;
    await test.login(instance);
    expect(await test.entry('i-1')).toBeDefined();
    isDown = false;
    await test.method.feedAudit();
    expect(test.events).toMatchObject([{ operation: 'login', principal: 'i-1' }]);
  });

  it('with more policies than a header holds is refused, and leaves no entry', async () => {
    const test = createTestMethod();
    const policies = Array.from({ length: 300 }, (_, at) => `policy-number-${at}`);
    await test.putRole({ token: tokenParameters({ type: 'batch', policies }) });
    const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
    expect(await codeOf(test.login(instance))).toBe('batch_token_too_large');
    expect(await test.entry('i-1')).toBeUndefined();
  });
});

describe('a batch token', () => {
  it('is looked up by itself and by text, without an accessor', async () => {
    const { self, call, token, root, auth } = await world({ boundCidrs: ['10.0.0.0/8'], explicitMaxTtlSeconds: 7200 });
    const { data } = await self();
    expect(data).toEqual({
      id: token,
      accessor: '',
      creation_time: START / 1000,
      creation_ttl: HOUR,
      display_name: 'cloud',
      entity_id: auth.entity_id,
      expire_time: '2026-11-21T10:00:00.000Z',
      explicit_max_ttl: 7200,
      issue_time: '2026-11-21T09:00:00.000Z',
      meta: auth.metadata,
      num_uses: 0,
      orphan: true,
      path: 'auth/cloud/login',
      policies: ['default', 'dev'],
      renewable: false,
      ttl: HOUR,
      type: 'batch',
      bound_cidrs: ['10.0.0.0/8'],
    });
    expect((await call('token.lookup', { token: root, fields: { token } })).data).toEqual(data);
  });

  it('is never renewed', async () => {
    const { call, token, root } = await world();
    expect(await codeOf(call('token.renew-self', { token }))).toBe('token_not_renewable');
    expect(await codeOf(call('token.renew', { token: root, fields: { token } }))).toBe('token_not_renewable');
  });

  it('is never revoked, and says so', async () => {
    const { call, token, root, self } = await world();
    expect(await codeOf(call('token.revoke-self', { token }))).toBe('token_not_revocable');
    expect(await codeOf(call('token.revoke', { token: root, fields: { token } }))).toBe('token_not_revocable');
    expect(await codeOf(call('token.revoke-accessor', { token: root, fields: { accessor: '' } }))).toBe(
      'field_missing',
    );
    expect(await codeOf(self())).toBe('allowed');
  });

  it.each([
    ['the lifetime', { ttlSeconds: HOUR }],
    ['the explicit maximum', { ttlSeconds: 10 * HOUR, explicitMaxTtlSeconds: HOUR }],
  ])('ends with %s', async (_name, parameters) => {
    const { self, clock, call, root, token } = await world(parameters);
    clock.advance(HOUR * 1000 - 1);
    expect(await codeOf(self())).toBe('allowed');
    clock.advance(1);
    expect(await codeOf(self())).toBe('permission_denied');
    expect(await codeOf(call('token.lookup', { token: root, fields: { token } }))).toBe('token_not_found');
  });

  it('holds its bound addresses at each use', async () => {
    const { self } = await world({ boundCidrs: ['10.0.0.0/24'] });
    expect(await codeOf(self({ peerAddress: '10.0.0.9' }))).toBe('allowed');
    expect(await codeOf(self({ peerAddress: '10.0.1.9' }))).toBe('permission_denied');
    expect(await codeOf(self({ peerAddress: undefined }))).toBe('permission_denied');
  });

  it('is asked for its policies like any other', async () => {
    const asked: unknown[] = [];
    const authorizer = {
      isAllowed: async ({ policies }: { readonly policies: readonly string[] }) => {
        asked.push(policies);
        return true;
      },
    };
    const { call, token } = await world({}, { authorizer });
    expect(await codeOf(call('role.list', { token }))).toBe('allowed');
    expect(asked).toEqual([['default', 'dev']]);
  });

  it('is valid in another process, and not in another installation', async () => {
    const first = await world();
    const beside = createTestMethod({ beside: first });
    expect(await codeOf(beside.call('token.lookup-self', { token: first.token }))).toBe('allowed');
    const { call } = await world();
    expect(await codeOf(call('token.lookup-self', { token: first.token }))).toBe('permission_denied');
  });

  it('appears in no audit event and no answer but its own', async () => {
    const { self, events, token, auth } = await world();
    await self();
    expect(inspect(events, { depth: null })).not.toContain(token.slice(6, 40));
    expect(events.at(-1)).toMatchObject({ accessor: '', principal: auth.entity_id, tokenHash: expect.any(String) });
  });

  it('is not whole where a single bit of it differs', async () => {
    const { call, token } = await world();
    const bytes = decodeBase64Url(token.slice(6)) ?? new Uint8Array();
    expect(bytes.length).toBeGreaterThan(100);
    for (let at = 0; at < bytes.length; at += 1) {
      const altered = bytes.slice();
      altered[at] = (altered[at] ?? 0) ^ (1 << (at & 7));
      const text = `pst_b_${encodeBase64Url(altered)}`;
      expect(await codeOf(call('token.lookup-self', { token: text }))).toBe('permission_denied');
    }
  });

  it.each([
    ['cut to its prefix', () => 'pst_b_'],
    ['cut in its header', (token: string) => token.slice(0, 60)],
    ['cut by a character', (token: string) => token.slice(0, -1)],
    ['cut by four characters', (token: string) => token.slice(0, -4)],
    ['with four characters more', (token: string) => `${token}AAAA`],
    ['with padding', (token: string) => `${token}=`],
    ['longer than any can be', (token: string) => token + 'A'.repeat(100_000)],
    ['of characters that are none of base64url', (token: string) => `${token.slice(0, 80)}+/${token.slice(82)}`],
    ['with another prefix', (token: string) => `pst_c_${token.slice(6)}`],
  ])('%s is rejected', async (_name, alter) => {
    const { call, token } = await world();
    expect(await codeOf(call('token.lookup-self', { token: alter(token) }))).toBe('permission_denied');
  });

  it('is distinguished from service tokens that begin alike', async () => {
    const random = { bytes: (length: number) => new Uint8Array(length).fill(0b0110_1111) };
    const alike = `pst_b_${'A'.repeat(41)}`;
    expect(isBatchTokenText(alike)).toBe(false);
    expect(isBatchTokenText(`${alike}A`)).toBe(true);
    const { method, call } = createTestMethod({ random });
    expect(await codeOf(call('token.lookup-self', { token: await method.createRootToken() }))).toBe('allowed');
  });
});

describe('limited uses', () => {
  it('are exactly 10 of 100 at once (TOKEN-4)', async () => {
    const first = createTestMethod();
    const instance = first.cloud.launchInstance({ instanceId: 'i-1' });
    await first.putRole({ token: tokenParameters({ numUses: 10 }) });
    const { client_token: token } = await first.login(instance);
    const processes = [1, 2, 3, 4].map((seed) =>
      createTestMethod({ beside: first, storage: (inner) => createFaultStorage(inner, { seed, maxYields: 3 }) }),
    );
    const codes = await Promise.all(
      Array.from({ length: 100 }, (_, at) => codeOf((processes[at % 4] ?? first).call('token.lookup-self', { token }))),
    );
    expect(codes.filter((code) => code === 'allowed')).toHaveLength(10);
    expect(codes.filter((code) => code === 'permission_denied')).toHaveLength(90);
  });

  it.each([
    ['token_num_uses', { token_num_uses: 1 }],
    ['token_period', { token_period: '1h' }],
    ['period', { period: '1h' }],
  ])('and periods are no part of a batch role: %s', async (_field, fields) => {
    const { host } = createTestMethod();
    const body = { auth_type: 'ec2', bound_ami_id: 'ami-1', token_type: 'batch', ...fields };
    expect(await codeOf(host('role.write', { role: 'b' }, body))).toBe('role_token_parameters_invalid');
  });
});
