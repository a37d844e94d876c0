/** Child tokens (TOKEN-12). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, tokenParameters } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';

const HOUR = 3_600_000;
const authorizer = { isAllowed: async () => true };

async function world(token: Partial<Role['token']> = {}) {
  const test = createTestMethod({ authorizer });
  await test.putRole({ token: tokenParameters({ policies: ['dev', 'ops'], ...token }) });
  const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
  const parent = await test.login(instance, { nonce: 'N' });
  const root = await test.method.createRootToken();
  const create = async (caller: string, fields: Readonly<Record<string, unknown>> = {}) => {
    const { auth } = await test.call('token.create', { token: caller, fields });
    if (auth === undefined) throw new TypeError('no auth');
    return auth;
  };
  const self = (caller: string, more = {}) => test.call('token.lookup-self', { token: caller, ...more });
  return { ...test, instance, parent, root, create, self };
}

describe('a child token', () => {
  it('holds what its parent holds, or some of it, and belongs to the same entity', async () => {
    const { parent, create, self } = await world();
    const child = await create(parent.client_token);
    expect(child).toMatchObject({
      policies: ['default', 'dev', 'ops'],
      entity_id: parent.entity_id,
      orphan: false,
      renewable: true,
      lease_duration: 768 * 3600,
      token_type: 'service',
    });
    const some = await create(parent.client_token, {
      policies: ['dev'],
      no_default_policy: true,
      ttl: '1h',
      display_name: 'job',
      meta: { build: '17' },
      renewable: false,
    });
    expect(some).toMatchObject({
      policies: ['dev'],
      lease_duration: 3600,
      renewable: false,
      metadata: { build: '17' },
    });
    expect((await self(some.client_token)).data).toMatchObject({
      display_name: 'token-job',
      path: 'auth/token/create',
      orphan: false,
    });
  });

  it.each([
    ['a policy that the parent lacks', { policies: ['admin'] }, 'child_policies_not_subset'],
    ['root', { policies: ['root'] }, 'policy_not_grantable'],
    ['a period', { period: '1h' }, 'child_option_not_allowed'],
    ['no parent', { no_parent: true }, 'child_option_not_allowed'],
    ['a batch type', { type: 'batch' }, 'field_invalid'],
    ['negative uses', { num_uses: -1 }, 'field_invalid'],
    ['a display name with a control character', { display_name: 'a\n' }, 'field_invalid'],
    ['metadata that is no text', { meta: { a: 1 } }, 'field_invalid'],
    ['an address that is none', { bound_cidrs: ['x'] }, 'field_invalid'],
  ])('is refused with %s', async (_what, fields, code) => {
    const { parent, create, tokens } = await world();
    expect(await codeOf(create(parent.client_token, fields))).toBe(code);
    expect(await tokens()).toHaveLength(2);
  });

  it('adds no default policy that its parent does not hold', async () => {
    const { parent, create } = await world({ noDefaultPolicy: true });
    expect((await create(parent.client_token, { policies: 'dev' })).policies).toEqual(['dev']);
  });

  it('keeps to the addresses of its parent', async () => {
    const { parent, create, self } = await world({ boundCidrs: ['10.0.0.0/8'] });
    const child = await create(parent.client_token);
    expect(await codeOf(self(child.client_token, { peerAddress: '192.0.2.1' }))).toBe('permission_denied');
    const narrow = await create(parent.client_token, { bound_cidrs: ['10.1.0.0/16'] });
    expect(await codeOf(self(narrow.client_token))).toBe('permission_denied');
    const wide = { bound_cidrs: ['0.0.0.0/0'] };
    expect(await codeOf(create(parent.client_token, wide))).toBe('child_option_not_allowed');
  });

  it('counts its uses', async () => {
    const { parent, create, self } = await world();
    const { client_token: child } = await create(parent.client_token, { num_uses: 2 });
    expect([await codeOf(self(child)), await codeOf(self(child)), await codeOf(self(child))]).toEqual([
      'allowed',
      'allowed',
      'permission_denied',
    ]);
  });

  it('is not made by a token of limited uses or a batch token', async () => {
    const limited = await world({ numUses: 5 });
    expect(await codeOf(limited.create(limited.parent.client_token))).toBe('child_token_not_allowed');
    const batch = await world({ type: 'batch' });
    expect(await codeOf(batch.create(batch.parent.client_token))).toBe('child_token_not_allowed');
  });

  it('ends with its parent, and with the parent of that one, at once', async () => {
    const { parent, create, self, host, root, call } = await world();
    const child = await create(parent.client_token);
    const grandchild = await create(child.client_token);
    expect(await codeOf(self(grandchild.client_token))).toBe('allowed');
    await host('token.revoke-accessor', {}, { accessor: parent.accessor });
    for (const { client_token } of [child, grandchild]) {
      expect(await codeOf(self(client_token))).toBe('permission_denied');
      const lookup = { token: root, fields: { token: client_token } };
      expect(await codeOf(call('token.lookup', lookup))).toBe('token_not_found');
    }
  });

  it('ends when its parent expires', async () => {
    const { parent, create, self, clock } = await world({ ttlSeconds: 3600 });
    const child = await create(parent.client_token, { ttl: '10h' });
    clock.advance(HOUR);
    expect(await codeOf(self(child.client_token))).toBe('permission_denied');
  });

  it('has so many parents at most', async () => {
    const { parent, create } = await world();
    let caller = parent.client_token;
    for (let depth = 0; depth < 8; depth += 1) caller = (await create(caller)).client_token;
    expect(await codeOf(create(caller))).toBe('child_token_not_allowed');
  });

  it('is renewed for its own lifetime, up to its explicit maximum, without asking the cloud', async () => {
    const { parent, create, call, clock, cloud } = await world();
    const { client_token: token } = await create(parent.client_token, { ttl: '1h', explicit_max_ttl: '100m' });
    cloud.clearCalls();
    clock.advance(HOUR / 2);
    expect((await call('token.renew-self', { token })).auth).toMatchObject({ lease_duration: 3600 });
    clock.advance(HOUR - 60_000);
    const { auth, warnings } = await call('token.renew-self', { token, fields: { increment: '2h' } });
    expect(auth?.lease_duration).toBe(660);
    expect(warnings).toHaveLength(1);
    clock.advance(659_500);
    expect(await codeOf(call('token.renew-self', { token }))).toBe('token_lifetime_exhausted');
    expect(cloud.calls).toEqual([]);
  });

  it('is not made for a parent that was revoked meanwhile', async () => {
    const test = await world();
    const { accessor } = test.parent;
    const slow = createTestMethod({
      beside: test,
      authorizer: {
        isAllowed: async () => {
          await test.host('token.revoke-accessor', {}, { accessor });
          return true;
        },
      },
    });
    expect(await codeOf(slow.call('token.create', { token: test.parent.client_token }))).toBe('storage_contended');
    expect(await test.tokens()).toHaveLength(1);
  });
});

describe('a child of a root token', () => {
  it('may have any policy, a period, and no parent', async () => {
    const { root, create, self, host } = await world();
    const child = await create(root, { policies: ['anything'], period: '1h' });
    expect(child).toMatchObject({ policies: ['anything', 'default'], lease_duration: 3600, entity_id: '' });
    const orphan = await create(root, { policies: ['anything'], no_parent: true });
    expect(orphan.orphan).toBe(true);
    const { data } = await self(root);
    await host('token.revoke-accessor', {}, { accessor: data?.['accessor'] });
    expect(await codeOf(self(child.client_token))).toBe('permission_denied');
    expect(await codeOf(self(orphan.client_token))).toBe('allowed');
  });

  it('is root without policies of its own, and expires all the same', async () => {
    const { root, create, call, clock } = await world();
    const child = await create(root, { ttl: '1h' });
    expect(child.policies).toEqual(['root']);
    expect(await codeOf(call('role.list', { token: child.client_token }))).toBe('allowed');
    clock.advance(HOUR);
    expect(await codeOf(call('role.list', { token: child.client_token }))).toBe('permission_denied');
  });
});

describe('the host', () => {
  it('makes tokens without a parent, but none with root', async () => {
    const { host, self } = await world();
    const { auth } = await host('token.create', {}, { policies: ['jobs'] });
    expect(auth).toMatchObject({ policies: ['default', 'jobs'], orphan: true });
    expect(await codeOf(self(auth?.client_token ?? ''))).toBe('allowed');
    expect(await codeOf(host('token.create', {}, { policies: ['root'] }))).toBe('policy_not_grantable');
  });
});
