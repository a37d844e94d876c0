/** One call through dispatch: operation, path, token, permission, fields, warnings (WIRE-5, WIRE-9, POLICY-1, WIRE-19, WIRE-21). */
import type { AuthorizationRequest } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, tokenParameters } from '../test/create-test-method.js';
import { isAuthError } from './errors.js';

const ROLE = { auth_type: 'ec2', bound_ami_id: 'ami-1' };

async function world() {
  const asked: AuthorizationRequest[] = [];
  const test = createTestMethod({
    authorizer: {
      isAllowed: (request) => {
        asked.push(request);
        return request.path === 'auth/cloud/role/dev' && request.capability !== 'delete';
      },
    },
  });
  const instance = test.cloud.launchInstance();
  await test.putRole();
  const root = await test.method.createRootToken();
  const { client_token: token } = await test.login(instance, { nonce: 'N' });
  return { ...test, asked, instance, root, token };
}

describe('the catalogue', () => {
  const { operations } = createTestMethod().method;

  it('has every id once and every path and verb once', () => {
    const routes = operations.flatMap(({ scope, verb, path, aliases = [] }) =>
      [path, ...aliases].map((each) => `${scope} ${verb} ${each}`),
    );
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it('lets in without a token by one operation only', () => {
    expect(operations.filter(({ access }) => access === 'public').map(({ id }) => id)).toEqual(['login']);
  });
});

describe('a management call', () => {
  it('needs a token that is there, and all refusals look the same', async () => {
    const { call, root } = await world();
    const texts = new Set<string>();
    for (const token of [undefined, '', 'pst_unknown', `${root}x`, 'x'.repeat(100_000), '\ud800']) {
      const error: unknown = await call('role.read', { params: { role: 'r' }, token }).catch(
        (thrown: unknown) => thrown,
      );
      expect(isAuthError(error) && error.code).toBe('permission_denied');
      texts.add(isAuthError(error) ? error.message : '');
    }
    expect([...texts]).toEqual(['permission denied']);
  });

  it('by root may do everything, without asking the authorizer', async () => {
    const { call, root, asked } = await world();
    await call('role.write', { params: { role: 'prod' }, fields: ROLE, token: root });
    expect((await call('role.list', { token: root })).data).toEqual({ keys: ['prod', 'r'] });
    expect(asked).toEqual([]);
  });

  it('asks for create, then update, and for the folded path', async () => {
    const { call, token, asked } = await world();
    await call('role.write', { params: { role: 'DEV' }, fields: ROLE, token });
    await call('role.write', { params: { role: 'Dev' }, fields: ROLE, token });
    await call('role.read', { params: { role: 'dev' }, token });
    expect(asked).toEqual(
      ['create', 'update', 'read'].map((capability) => ({
        policies: ['default'],
        path: 'auth/cloud/role/dev',
        capability,
      })),
    );
  });

  it.each([
    ['role.delete', { role: 'dev' }, 'auth/cloud/role/dev', 'delete'],
    ['role.read', { role: 'r' }, 'auth/cloud/role/r', 'read'],
    ['role.list', {}, 'auth/cloud/roles', 'list'],
    ['access-list.read', { instance_id: 'i-1' }, 'auth/cloud/identity-accesslist/i-1', 'read'],
    ['token.lookup', {}, 'auth/token/lookup', 'update'],
    ['token.revoke-accessor', {}, 'auth/token/revoke-accessor', 'update'],
  ])('%s is refused where no policy grants it', async (operation, params: Record<string, string>, path, capability) => {
    const { call, token, asked } = await world();
    expect(await codeOf(call(operation, { params, token }))).toBe('permission_denied');
    expect(asked).toEqual([{ policies: ['default'], path, capability }]);
  });

  it('without an authorizer is for root only', async () => {
    const test = createTestMethod();
    await test.putRole();
    const { client_token: token } = await test.login(test.cloud.launchInstance());
    expect(await codeOf(test.call('role.list', { token }))).toBe('permission_denied');
  });

  it('by the host needs no token', async () => {
    const { host, events } = await world();
    await host('role.write', { role: 'prod' }, ROLE);
    expect(events.at(-1)).toMatchObject({ operation: 'role.write', outcome: 'allowed', principal: 'host' });
  });
});

describe('a body that takes longer than a second (TOKEN-15)', () => {
  async function writing(parameters: Parameters<typeof tokenParameters>[0] = {}) {
    const path = 'auth/cloud/role/*';
    const test = createTestMethod({ options: { policies: { writer: { [path]: ['create', 'update'] } } } });
    await test.putRole({ token: tokenParameters({ policies: ['writer'], ttlSeconds: 3600, ...parameters }) });
    const { client_token: token } = await test.login(test.cloud.launchInstance());
    const root = await test.method.createRootToken();
    /** Writes a role with a body that takes so long, while something else happens. */
    const write = (tookMs: number, meanwhile: () => Promise<unknown> = async () => undefined) =>
      test.call('role.write', {
        params: { role: 'dev' },
        token,
        fields: async () => {
          await meanwhile();
          test.clock.advance(tookMs);
          return ROLE;
        },
      });
    return { ...test, token, root, write };
  }

  it('is not acted upon where the token was revoked meanwhile', async () => {
    const { write, call, root, token } = await writing();
    const revoke = () => call('token.revoke', { fields: { token }, token: root });
    expect(await codeOf(write(1_001, revoke))).toBe('permission_denied');
    expect(await codeOf(call('role.read', { params: { role: 'dev' }, token: root }))).toBe('not_found');
  });

  it('nor where it expired, or where its policy no longer grants it', async () => {
    const { write, method } = await writing();
    expect(await codeOf(write(1_001, async () => method.configurePolicies({})))).toBe('permission_denied');
    method.configurePolicies({ writer: { 'auth/cloud/role/*': ['create', 'update'] } });
    expect(await codeOf(write(1_001))).toBe('allowed');
    expect(await codeOf(write(3_600_000))).toBe('permission_denied');
  });

  it('spends one use, the last too', async () => {
    const { write } = await writing({ numUses: 2 });
    expect(await codeOf(write(1_001))).toBe('allowed');
    expect(await codeOf(write(1_001))).toBe('allowed');
    expect(await codeOf(write(0))).toBe('permission_denied');
  });
});

describe('the path', () => {
  it.each([['-x'], ['ab-'], [''], ['a/b'], ['..'], ['a b'], ['ä'], ['x'.repeat(257)]])(
    'with the name %j is like an unknown one',
    async (role) => {
      const { call, root } = await world();
      expect(await codeOf(call('role.write', { params: { role }, fields: ROLE, token: root }))).toBe('not_found');
    },
  );

  it('takes names with dots, dashes and underscores inside', async () => {
    const { call, root } = await world();
    await call('role.write', { params: { role: 'a.b-c_d' }, fields: ROLE, token: root });
  });

  it('of no operation is refused', async () => {
    expect(await codeOf(createTestMethod().call('nonsense'))).toBe('not_found');
    expect(await codeOf(createTestMethod().call('toString'))).toBe('not_found');
  });

  it('wins over a body field of its name', async () => {
    const { call, root } = await world();
    await call('role.write', { params: { role: 'zz' }, fields: { ...ROLE, role: 'yy' }, token: root });
    expect((await call('role.list', { token: root })).data).toEqual({ keys: ['r', 'zz'] });
  });
});

describe('an unknown field', () => {
  it('is rejected, and the nearest known name suggested (WIRE-19)', async () => {
    const { host } = await world();
    const body = { auth_type: 'ec2', bound_region: 'us-east-1', bound_ami: 'ami-OTHER' };
    const error: unknown = await host('role.write', { role: 'zz' }, body).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'unknown_fields', message: expect.stringContaining('mean "bound_ami_id"') });
    expect(await codeOf(host('role.read', { role: 'zz' }))).toBe('not_found');
  });

  it('is not repeated where it may be a secret sent in the wrong place', async () => {
    const { host } = await world();
    const error: unknown = await host('role.write', { role: 'zz' }, { ...ROLE, 'pst_Secret-1': 1 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'unknown_fields', message: expect.not.stringContaining('Secret') });
  });

  it('called like a member of every object is rejected too', async () => {
    const { host } = await world();
    for (const text of ['{"__proto__": {"polluted": 1}}', '{"constructor": 1}']) {
      const fields: unknown = JSON.parse(text);
      const error: unknown = await host('role.write', { role: 'zz' }, { ...ROLE, ...(fields as object) }).catch(
        (thrown: unknown) => thrown,
      );
      // A spread turns an own `__proto__` into a plain member.
      expect(error).toMatchObject({ code: 'unknown_fields' });
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('is ignored with a warning where the transport says so, also in an answer without a body (WIRE-21)', async () => {
    const { call, instance, root } = await world();
    const pkcs7 = instance.identityDocument().rsa2048;
    const fields = { pkcs7, role: 'r', nonce: 'N', colour: 'turquoise' };
    const login = await call('login', { fields, unknownFields: 'ignore' });
    expect(login.warnings).toEqual(['Endpoint ignored these unrecognized parameters: [colour]']);
    const write = {
      params: { role: 'zz' },
      fields: { ...ROLE, a: 1, b: 2 },
      token: root,
      unknownFields: 'ignore',
    } as const;
    expect((await call('role.write', write)).warnings).toEqual([
      'Endpoint ignored these unrecognized parameters: [a b]',
    ]);
  });
});
