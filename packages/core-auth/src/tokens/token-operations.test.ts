/** Looking up, renewing and revoking tokens (TOKEN-1, TOKEN-4, TOKEN-6). */
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, START, tokenParameters } from '../../test/create-test-method.js';
import { withMethods } from '../../test/intercept-commits.js';
import type { Role } from '../roles/role.js';

const HOUR = 3600;

async function world(parameters: Partial<Role['token']> = {}) {
  const test = createTestMethod();
  const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
  await test.putRole({ token: tokenParameters({ ttlSeconds: HOUR, ...parameters }) });
  const root = await test.method.createRootToken();
  const auth = await test.login(instance, { nonce: 'N' });
  return { ...test, instance, root, auth, token: auth.client_token };
}

describe('a look-up', () => {
  it('of itself tells what clients of such servers expect', async () => {
    const { call, token, auth, clock } = await world();
    clock.advance(600_500);
    expect((await call('token.lookup-self', { token })).data).toEqual({
      id: token,
      accessor: auth.accessor,
      creation_time: START / 1000,
      creation_ttl: HOUR,
      display_name: 'cloud',
      entity_id: auth.entity_id,
      expire_time: '2026-11-21T10:00:00.000Z',
      explicit_max_ttl: 0,
      issue_time: '2026-11-21T09:00:00.000Z',
      meta: auth.metadata,
      num_uses: 0,
      orphan: true,
      path: 'auth/cloud/login',
      policies: ['default'],
      renewable: true,
      ttl: 3000,
      type: 'service',
    });
  });

  it('of a root token tells no end', async () => {
    const { call, root } = await world();
    expect((await call('token.lookup-self', { token: root })).data).toMatchObject({
      expire_time: null,
      ttl: 0,
      policies: ['root'],
      path: 'auth/token/root',
      renewable: false,
    });
  });

  it('after a renewal tells when, and the period', async () => {
    const { call, token } = await world({ periodSeconds: 600 });
    await call('token.renew-self', { token });
    expect((await call('token.lookup-self', { token })).data).toMatchObject({
      period: 600,
      last_renewal: '2026-11-21T09:00:00.000Z',
      last_renewal_time: START / 1000,
    });
  });

  it('by text tells the same; by accessor never the text', async () => {
    const { call, token, root, auth } = await world();
    const self = (await call('token.lookup-self', { token })).data;
    expect((await call('token.lookup', { token: root, fields: { token } })).data).toEqual(self);
    const fields = { accessor: auth.accessor };
    expect((await call('token.lookup-accessor', { token: root, fields })).data).toEqual({ ...self, id: '' });
  });

  it.each([
    ['token.lookup', { token: 'pst_unknown' }, 'token_not_found'],
    ['token.lookup', { token: '' }, 'field_missing'],
    ['token.lookup', {}, 'field_missing'],
    ['token.renew', { token: 'pst_unknown' }, 'token_not_found'],
    ['token.renew', {}, 'field_missing'],
    ['token.revoke', {}, 'field_missing'],
    ['token.lookup-accessor', { accessor: '0'.repeat(40) }, 'token_not_found'],
    ['token.lookup-accessor', { accessor: '../access-list/i-1' }, 'token_not_found'],
    ['token.lookup-accessor', {}, 'field_missing'],
    ['token.revoke-accessor', {}, 'field_missing'],
  ])('%s with %j is refused', async (operation, fields, code) => {
    const { call, root } = await world();
    expect(await codeOf(call(operation, { token: root, fields }))).toBe(code);
  });

  it('and every use ends with the lifetime', async () => {
    const { call, token, root, clock } = await world();
    clock.advance(HOUR * 1000 - 1);
    await call('token.lookup-self', { token });
    clock.advance(1);
    expect(await codeOf(call('token.lookup-self', { token }))).toBe('permission_denied');
    expect(await codeOf(call('token.lookup', { token: root, fields: { token } }))).toBe('token_not_found');
  });
});

describe('a revocation', () => {
  it.each([
    ['token.revoke-self', (_token: string, _accessor: string) => ({})],
    ['token.revoke', (token: string) => ({ token })],
    ['token.revoke-accessor', (_token: string, accessor: string) => ({ accessor })],
  ])('by %s ends the token at once, and may be repeated by others', async (operation, fieldsOf) => {
    const { call, token, root, auth, tokens } = await world();
    const fields = fieldsOf(token, auth.accessor);
    const caller = operation === 'token.revoke-self' ? token : root;
    expect(await call(operation, { token: caller, fields })).toEqual({});
    expect(await codeOf(call('token.lookup-self', { token }))).toBe('permission_denied');
    expect(await tokens()).toHaveLength(1);
    if (caller === root) expect(await call(operation, { token: root, fields })).toEqual({});
  });
});

describe('a token of its own', () => {
  it.each([['token.lookup-self'], ['token.renew-self'], ['token.revoke-self']])(
    'is what the host lacks for %s',
    async (operation) => {
      const { host } = await world();
      expect(await codeOf(host(operation))).toBe('permission_denied');
    },
  );

  it('is found once for its renewal, and read again by what renews it', async () => {
    const first = await world();
    const reads: string[] = [];
    const other = createTestMethod({
      beside: first,
      storage: (inner) =>
        withMethods(inner, {
          get: (key, options) => {
            if (key.includes('/tokens/')) reads.push(key);
            return inner.get(key, options);
          },
        }),
    });
    expect(await codeOf(other.call('token.renew-self', { token: first.token }))).toBe('allowed');
    expect(reads).toHaveLength(2);
  });

  it('is renewed by its text too', async () => {
    const { call, token, root } = await world();
    const { auth } = await call('token.renew', { token: root, fields: { token, increment: 60 } });
    expect(auth).toMatchObject({ client_token: token, lease_duration: 60 });
  });
});

describe('limited uses (TOKEN-4)', () => {
  it('are counted down, and the last one removes the token', async () => {
    const { call, token, auth, tokens } = await world({ numUses: 3 });
    expect(auth.num_uses).toBe(3);
    const left = async () => (await call('token.lookup-self', { token })).data?.['num_uses'];
    expect([await left(), await left(), await left()]).toEqual([2, 1, 0]);
    expect(await codeOf(call('token.lookup-self', { token }))).toBe('permission_denied');
    expect(await tokens()).toHaveLength(1);
  });

  it('are spent by refused calls as well', async () => {
    const { call, token } = await world({ numUses: 1 });
    expect(await codeOf(call('role.list', { token }))).toBe('permission_denied');
    expect(await codeOf(call('token.lookup-self', { token }))).toBe('permission_denied');
  });

  it('survive a renewal as they were', async () => {
    const { call, token } = await world({ numUses: 3 });
    await call('token.renew-self', { token });
    expect((await call('token.lookup-self', { token })).data?.['num_uses']).toBe(1);
  });

  it('with the last one cannot renew', async () => {
    const { call, token } = await world({ numUses: 1 });
    expect(await codeOf(call('token.renew-self', { token }))).toBe('token_not_found');
  });

  it.each([1, 2, 3, 4, 5])('are exactly so many among 30 at once (seed %d)', async (seed) => {
    const first = await world({ numUses: 7 });
    const methods = [1, 2, 3].map((at) =>
      createTestMethod({
        beside: first,
        storage: (inner) =>
          createFaultStorage(inner, { seed: seed * 10 + at, maxYields: 3, commits: { conflict: 0.1 } }),
      }),
    );
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        codeOf(methods[at % 3]?.call('token.lookup-self', { token: first.token }) ?? Promise.reject(new TypeError())),
      ),
    );
    expect(codes.filter((code) => code === 'allowed')).toHaveLength(7);
    expect(new Set(codes)).toEqual(new Set(['allowed', 'permission_denied']));
  });
});
