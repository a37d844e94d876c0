/** Which operation a request means, and what is said to one that means none (WIRE-7, WIRE-8, WIRE-6, WIRE-11). */
import { describe, expect, it } from 'vitest';
import { createFakeMethod, harness, operationsOf } from '../../test/fake-method.js';
import { createHttpApp } from '../http-app.js';

const token = { 'x-service-token': 't' };

describe('routes', () => {
  it.each([
    ['GET', '/role/dev', 'role.read', { role: 'dev' }],
    ['POST', '/role/dev', 'role.write', { role: 'dev' }],
    ['PUT', '/role/dev', 'role.write', { role: 'dev' }],
    ['DELETE', '/role/dev', 'role.delete', { role: 'dev' }],
    ['POST', '/role/a.b-c_d', 'role.write', { role: 'a.b-c_d' }],
    ['POST', '/role/x/tag', 'role.tag', { role: 'x' }],
    ['LIST', '/roles', 'role.list', {}],
    ['LIST', '/roles/', 'role.list', {}],
    ['LIST', '/role', 'role.list', {}],
    ['GET', '/roles?list=true', 'role.list', {}],
    ['GET', '/roles/?list=1', 'role.list', {}],
    ['GET', '/roles?list=T', 'role.list', {}],
    ['GET', '/role/dev?list=false', 'role.read', { role: 'dev' }],
    ['GET', '/role/dev?list=', 'role.read', { role: 'dev' }],
    ['GET', '/identity-whitelist/i-1', 'access-list.read', { instance_id: 'i-1' }],
    ['LIST', '/identity-whitelist', 'access-list.list', {}],
    ['GET', '/config/certificate/B', 'certificate.read', { cert_name: 'B' }],
    ['GET', '/roletag-denylist/v1:AA=:r=dev:a/b+c=', 'deny-list.read', { role_tag: 'v1:AA=:r=dev:a/b+c=' }],
    ['GET', '/roletag-denylist/a//b/', 'deny-list.read', { role_tag: 'a//b/' }],
    ['GET', '/roletag-denylist/a%2Fb%252F', 'deny-list.read', { role_tag: 'a/b%2F' }],
    ['GET', '/%72ole/d%65v', 'role.read', { role: 'dev' }],
  ])('%s %s means %s', async (method, path, operation, params) => {
    const { send, method: fake } = harness(() => ({ data: {} }));
    const response = await send(`/v1/auth/cloud${path}`, { method, headers: token });
    expect(response.status).toBe(200);
    expect(fake.calls).toMatchObject([{ operation, params }]);
    expect(fake.calls[0]?.params).toEqual(params);
  });

  it.each([
    ['GET', '/v1/auth/token/lookup-self', 'token.lookup-self'],
    ['PUT', '/v1/auth/token/renew-self', 'token.renew-self'],
    ['LIST', '/v1/sys/policies', 'sys.policies'],
  ])('%s %s hangs beside the mount', async (method, path, operation) => {
    const { send, method: fake } = harness();
    expect((await send(path, { method, headers: token })).status).toBe(204);
    expect(fake.calls).toMatchObject([{ operation }]);
  });

  it.each([
    ['GET', '/login', 405],
    ['GET', '/roles', 405],
    ['POST', '/roles', 405],
    ['GET', '/role/x/tag', 405],
    ['DELETE', '/config/identity', 405],
    ['POST', '/identity-accesslist/i-1', 405],
    ['GET', '/roletag-denylist/', 405],
    ['PATCH', '/role/dev', 405],
    ['HEAD', '/role/dev', 405],
    ['OPTIONS', '/role/dev', 405],
    ['BREW', '/role/dev', 405],
    ['LIST', '/config/certificate', 404],
    ['GET', '/nonsense', 404],
    ['POST', '/nonsense', 404],
    ['POST', '/role/ab-', 404],
    ['GET', '/role/-x', 404],
    ['GET', '/role/.x', 404],
    ['GET', '/role/a%2Fb', 404],
    ['GET', '/role/d%C3%A9v', 404],
    ['GET', '/role/dev%0A', 404],
    ['GET', '/role/%2565', 404],
    ['GET', '/role/dev/', 404],
    ['GET', '/role//dev', 404],
    ['GET', '/Role/dev', 404],
    ['GET', '', 404],
    ['POST', '/role/dev/', 400],
    ['POST', '/nonsense/', 400],
    ['GET', '/role/%zz', 400],
    ['GET', '/role/%ff', 400],
    ['GET', '/role/%', 400],
    ['GET', '/roles?list=yes', 400],
    ['GET', '/roles?list=2', 400],
  ])('%s %s is %d, with and without a token', async (method, path, status) => {
    const { send, method: fake } = harness();
    for (const headers of [token, {}]) {
      const response = await send(`/v1/auth/cloud${path}`, { method, headers });
      expect(response.status).toBe(status);
      if (method !== 'HEAD') expect(await response.json()).toMatchObject({ errors: [expect.any(String)] });
    }
    expect(fake.calls).toEqual([]);
  });

  it('names the methods that a path does answer to', async () => {
    const { send } = harness();
    expect((await send('/v1/auth/cloud/login')).headers.get('allow')).toBe('POST, PUT');
    expect((await send('/v1/auth/cloud/roles')).headers.get('allow')).toBe('LIST, GET');
  });

  it.each([
    [token, 404, 'unsupported_path'],
    [{}, 403, 'permission_denied'],
  ])('answers an unknown mount by whether a token was sent', async (headers, status, code) => {
    const response = await harness().send('/v1/auth/other/roles', { headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  it.each(['/', '/favicon.ico', '/v2/auth/cloud/login', '/v10/x'])('knows nothing outside /v1: %s', async (path) => {
    const response = await harness().send(path, { headers: token });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ errors: [] });
  });

  it('answers below the configured mount path', async () => {
    const { send } = harness(undefined, { mountPath: 'auth/aws' });
    expect((await send('/v1/auth/aws/role/dev', { headers: token })).status).toBe(204);
    expect((await send('/v1/auth/cloud/role/dev', { headers: token })).status).toBe(404);
  });

  it.each(['auth/token', 'auth/token/x', 'sys', 'sys/cloud', 'policies'])('refuses the mount path %s', (mountPath) => {
    expect(() => harness(undefined, { mountPath })).toThrow(/^mountPath: .* is reserved/);
  });

  it.each(['auth', 'auth/tokens', 'system'])('takes the mount path %s', async (mountPath) => {
    const { send } = harness(undefined, { mountPath });
    expect((await send(`/v1/${mountPath}/role/dev`, { headers: token })).status).toBe(204);
  });

  it('refuses a catalogue whose routes collide', () => {
    const make = (operations: ReturnType<typeof operationsOf>) =>
      createHttpApp({
        method: { ...createFakeMethod(), operations },
        peerAddress: () => undefined,
        health: () => ({ storageReachable: true, version: '', serverTime: 0 }),
      });
    const shape = { id: 'a', verb: 'read', scope: 'mount' } as const;
    expect(() =>
      make(
        operationsOf([
          { ...shape, path: '/x' },
          { ...shape, path: '/x' },
        ]),
      ),
    ).toThrow(TypeError);
    expect(() =>
      make(
        operationsOf([
          { ...shape, path: '/:a' },
          { ...shape, path: '/:b/c' },
        ]),
      ),
    ).toThrow(TypeError);
    expect(() =>
      make(
        operationsOf([
          { ...shape, path: '/:a*' },
          { ...shape, path: '/:b*' },
        ]),
      ),
    ).toThrow(TypeError);
  });
});
