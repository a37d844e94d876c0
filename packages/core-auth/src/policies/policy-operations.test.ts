/** Policies by API: stored, in force at once, those of the configuration fixed (POLICY-4, POLICY-6, POLICY-8). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, tokenParameters } from '../../test/create-test-method.js';

const READ_ROLES = 'path "auth/cloud/role/*" { capabilities = ["read"] }';

async function world() {
  const test = createTestMethod({ options: { policies: { Fixed: { 'auth/cloud/roles': ['list'] } } } });
  const instance = test.cloud.launchInstance();
  await test.putRole({ token: tokenParameters({ policies: ['ops', 'fixed'] }) });
  const { client_token: token } = await test.login(instance);
  const root = await test.method.createRootToken();
  const write = (policy: string, text: string, as = root) =>
    test.call('policy.write', { params: { name: policy }, fields: { policy: text }, token: as });
  const read = (role: string) => test.call('role.read', { params: { role }, token });
  return { ...test, token, root, write, read };
}

describe('a stored policy', () => {
  it('is in force at once, for tokens that carry its name, and gone at once', async () => {
    const { call, root, write, read, token } = await world();
    expect(await codeOf(read('r'))).toBe('permission_denied');
    await write('Ops', READ_ROLES);
    expect((await read('r')).data).toMatchObject({ auth_type: 'ec2' });
    expect((await call('policy.list', { token: root })).data).toEqual({ keys: ['fixed', 'ops', 'root'] });
    expect((await call('policy.read', { params: { name: 'OPS' }, token: root })).data).toEqual({
      ...{ name: 'ops', policy: READ_ROLES, source: 'api' },
    });
    await write('ops', 'path "auth/cloud/role/*" { capabilities = ["deny"] }');
    expect(await codeOf(read('r'))).toBe('permission_denied');
    await call('policy.delete', { params: { name: 'ops' }, token: root });
    expect(await codeOf(call('policy.read', { params: { name: 'ops' }, token: root }))).toBe('not_found');
    expect(await codeOf(write('ops', READ_ROLES, token))).toBe('permission_denied');
  });

  it('is written by those whom a policy grants sys/policies/acl', async () => {
    const { write, token } = await world();
    await write('ops', 'path "sys/policies/acl/*" { capabilities = ["create"] }');
    await write('other', READ_ROLES, token);
    expect(await codeOf(write('other', READ_ROLES, token))).toBe('permission_denied');
  });

  it.each([
    ['a pattern that can never match', 'path "auth/cloud/role/Prod" { capabilities = ["deny"] }', 'policy_invalid'],
    ['a text that is not a policy', 'roles: read', 'policy_invalid'],
    ['nothing', '', 'field_missing'],
  ])('is rejected with %s', async (_what, text, code) => {
    const { write } = await world();
    expect(await codeOf(write('ops', text))).toBe(code);
  });
});

describe('a policy of the configuration', () => {
  it.each(['fixed', 'FIXED', 'root'])('%s cannot be written or deleted', async (policy) => {
    const { call, root, write } = await world();
    expect(await codeOf(write(policy, READ_ROLES))).toBe('policy_fixed');
    expect(await codeOf(call('policy.delete', { params: { name: policy }, token: root }))).toBe('policy_fixed');
    expect((await call('policy.read', { params: { name: policy }, token: root })).data).toMatchObject({
      source: 'configuration',
    });
  });

  it('is replaced as a whole, or not at all', async () => {
    const { method, call, token } = await world();
    const list = () => call('role.list', { token });
    await list();
    expect(() => method.configurePolicies({ ops: {}, fixed: { 'auth/cloud/role/qa/': ['deny'] } })).toThrow(
      'fixed: "auth/cloud/role/qa/": no path ends in a slash',
    );
    await list();
    method.configurePolicies({});
    expect(await codeOf(list())).toBe('permission_denied');
  });

  it.each([
    ['root', { root: {} }, 'root: the policy root grants everything'],
    ['names that differ in case', { Ops: {}, ops: {} }, 'ops: differs from another policy in case only'],
  ])('is rejected at creation: %s (V9)', (_what, policies, text) => {
    expect(() => createTestMethod({ options: { policies } })).toThrow(text);
  });

  it('is not what decides where the host does', async () => {
    const { call, method } = createTestMethod({ authorizer: { isAllowed: ({ path }) => path === 'mine' } });
    const root = await method.createRootToken();
    const fields = { policy: READ_ROLES };
    expect(await codeOf(call('policy.write', { params: { name: 'x' }, fields, token: root }))).toBe('policy_fixed');
    const { isAllowed } = await method.permissionsOf(['x']);
    expect([await isAllowed('mine', 'read'), await isAllowed('other', 'read')]).toEqual([true, false]);
  });
});
