/** The capabilities that are reported for a token are those that its calls meet (POLICY-9). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, tokenParameters } from '../test/create-test-method.js';

async function world() {
  const policies = {
    ops: {
      'auth/cloud/role/*': ['read', 'update'],
      'auth/cloud/role/prod': ['deny'],
      'registry/acme': ['read'],
    },
  } as const;
  const test = createTestMethod({ options: { policies, policyPaths: ['registry/acme'] } });
  await test.putRole({ token: tokenParameters({ policies: ['ops'] }) });
  const { client_token: token, accessor } = await test.login(test.cloud.launchInstance());
  const root = await test.method.createRootToken();
  const ask = async (fields: object, operation = 'token.capabilities-self', as = token) =>
    (await test.call(operation, { fields: { ...fields }, token: as })).data;
  return { ...test, token, accessor, root, ask };
}

describe('capabilities', () => {
  it.each<[path: string, capabilities: readonly string[]]>([
    ['auth/cloud/role/web', ['read', 'update']],
    ['/auth/cloud/role/web', ['read', 'update']],
    ['auth/cloud/role/prod', ['deny']],
    ['auth/cloud/role/PROD', ['deny']],
    ['auth/cloud/roles', ['deny']],
    ['registry/acme', ['read']],
    ['auth/token/renew-self', ['update']],
    ['auth/cloud/login', ['update']],
    ['sys/internal/ui/mounts/auth/cloud', ['read']],
    ['secret/x', ['deny']],
    ['__proto__', ['deny']],
  ])('at %s', async (path, capabilities) => {
    const { ask } = await world();
    const data = await ask({ path });
    expect(data?.['capabilities']).toEqual(capabilities);
    expect(Object.entries(data ?? {}).filter(([name]) => name !== 'capabilities')).toEqual([
      [path.replace(/^\//, ''), capabilities],
    ]);
  });

  it('of root are root, everywhere', async () => {
    const { ask, root } = await world();
    const data = await ask({ paths: ['a', 'b'] }, 'token.capabilities-self', root);
    expect(data).toEqual({ a: ['root'], b: ['root'] });
  });

  it('of another token are told by its text and by its accessor, to those who may ask', async () => {
    const { ask, token, accessor, root } = await world();
    const fields = { path: 'registry/acme' };
    const expected = { 'registry/acme': ['read'], capabilities: ['read'] };
    expect(await ask({ ...fields, token }, 'token.capabilities', root)).toEqual(expected);
    expect(await ask({ ...fields, accessor }, 'token.capabilities-accessor', root)).toEqual(expected);
    for (const [operation, name] of [
      ['token.capabilities', 'token'],
      ['token.capabilities-accessor', 'accessor'],
    ] as const) {
      expect(await codeOf(ask({ ...fields, [name]: 'unknown' }, operation, root))).toBe('permission_denied');
      expect(await codeOf(ask(fields, operation, root))).toBe('field_missing');
      expect(await codeOf(ask({ ...fields, [name]: 'unknown' }, operation))).toBe('permission_denied');
    }
  });

  it('are asked at 1 to 100 paths', async () => {
    const { ask } = await world();
    const paths = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`);
    expect(Object.keys((await ask({ paths: paths(100) })) ?? {})).toHaveLength(100);
    expect(await codeOf(ask({ paths: paths(101) }))).toBe('field_invalid');
    expect(await codeOf(ask({}))).toBe('field_missing');
    expect(await codeOf(ask({ path: '' }))).toBe('field_missing');
  });

  it('are those of the host where it decides', async () => {
    const test = createTestMethod({
      authorizer: { isAllowed: ({ path, capability }) => path === 'x' && capability === 'list' },
    });
    await test.putRole({});
    const { client_token: token } = await test.login(test.cloud.launchInstance());
    const { data } = await test.call('token.capabilities-self', { fields: { paths: ['x', 'y'] }, token });
    expect(data).toEqual({ x: ['list'], y: ['deny'] });
  });
});
