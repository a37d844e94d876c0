/** One event a call, nothing secret in it, and no answer without one (AUDIT-1). */
import { inspect } from 'node:util';
import { StorageError } from '@postern/ports';
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { ACCOUNT, codeOf, createTestMethod, START, tokenParameters } from '../../test/create-test-method.js';
import { withMethods } from '../../test/intercept-commits.js';
import type { Role } from '../roles/role.js';
import { createAuditHash } from './audit-trail.js';

describe('the audit event', () => {
  it('of an allowed login says who, as what, by which proof, with which alias', async () => {
    const { cloud, putRole, login, events } = createTestMethod();
    const instance = cloud.launchInstance({ instanceId: 'i-1', imageId: 'ami-1' });
    await putRole();
    const auth = await login(instance, { nonce: 'N' });
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}-1$/),
        time: START,
        requestId: 'request-1',
        operation: 'login',
        outcome: 'allowed',
        code: undefined,
        reason: undefined,
        peerAddress: '10.0.0.1',
        authType: 'ec2',
        principal: 'i-1',
        role: 'r',
        accessor: auth.accessor,
        tokenHash: expect.stringMatching(/^[\w-]{43}$/),
        nonceHash: expect.stringMatching(/^[\w-]{43}$/),
        details: {
          account_id: ACCOUNT,
          region: 'us-east-1',
          ami_id: 'ami-1',
          proof: 'pkcs7',
          algorithm: 'rsa-sha256',
          certificate: expect.any(String),
          alias: 'id-of-r',
          entity_id: auth.entity_id,
        },
      },
    ]);
  });

  it('of a denied login carries the code of the answer, of an unverified one the reason too', async () => {
    const { cloud, putRole, login, call, events } = createTestMethod();
    const instance = cloud.launchInstance({ instanceId: 'i-1' });
    await putRole({ boundAmiIds: ['ami-other'] });
    await codeOf(login(instance));
    await codeOf(call('login', { fields: { pkcs7: 'AAAA' } }));
    cloud.behaviour.describeInstance.throttle();
    await codeOf(login(instance));
    expect(events.map(({ outcome, code, principal, role }) => ({ outcome, code, principal, role }))).toEqual([
      { outcome: 'denied', code: 'bound_ami_id_mismatch', principal: 'i-1', role: 'r' },
      { outcome: 'denied', code: 'evidence_unverified', principal: undefined, role: undefined },
      { outcome: 'unavailable', code: 'provider_unavailable', principal: 'i-1', role: 'r' },
    ]);
    expect(events[1]?.reason).toMatch(/^[a-z0-9_]+$/);
  });

  it.each<[string, Partial<Role>, Readonly<Record<string, unknown>>, string, string | undefined]>([
    ['no role of that name', {}, { role: 'None' }, 'role_not_found', 'none'],
    ['a role that nothing can be named', {}, { role: 'no\nrole' }, 'role_not_found', undefined],
    ['a role of the other type', { authType: 'iam' }, {}, 'role_auth_type_mismatch', 'r'],
    [
      'a peer outside the bounds',
      { token: tokenParameters({ boundCidrs: ['192.0.2.1'] }) },
      {},
      'peer_address_not_allowed',
      'r',
    ],
  ])('of a proven login names the role that was asked for: %s', async (_, changes, fields, code, role) => {
    const { cloud, putRole, login, events } = createTestMethod();
    await putRole(changes);
    await codeOf(login(cloud.launchInstance({ instanceId: 'i-1' }), fields));
    expect(events).toMatchObject([{ code, principal: 'i-1' }]);
    expect(events[0]?.role).toBe(role);
  });

  it('does not tell a token that somebody put in the place of a name', async () => {
    const { method, call, events } = createTestMethod();
    const token = await method.createRootToken();
    await codeOf(call('role.read', { params: { role: token }, token }));
    await codeOf(call('role.tag', { params: { role: token }, token }));
    expect(events).toHaveLength(3);
    expect(inspect(events).toLowerCase()).not.toContain(token.toLowerCase());
    expect(events.at(-1)).toMatchObject({ role: '(a token)', details: { role: '(a token)' } });
  });

  it('ties the events of one token together, and tells tokens from nonces', async () => {
    const { cloud, putRole, login, call, events, clock } = createTestMethod();
    await putRole();
    const { client_token: token, accessor } = await login(cloud.launchInstance({ instanceId: 'i-1' }), { nonce: 'N' });
    await call('token.renew-self', { token });
    await call('token.revoke-self', { token });
    await codeOf(call('token.lookup-self', { token }));
    clock.advance(1000);
    await codeOf(call('token.lookup-self', { token: 'N' }));
    expect(events.map(({ operation, accessor: of }) => [operation, of])).toEqual([
      ['login', accessor],
      ['token.renew-self', accessor],
      ['token.revoke-self', accessor],
      ['token.lookup-self', undefined],
      ['token.lookup-self', undefined],
    ]);
    expect(new Set(events.slice(0, 4).map(({ tokenHash }) => tokenHash)).size).toBe(1);
    expect(events[4]?.tokenHash).not.toBe(events[0]?.nonceHash);
  });

  it('is one for every call: management, its refusal, the root token', async () => {
    const { method, host, call, events } = createTestMethod();
    const token = await method.createRootToken();
    await host('role.write', { role: 'x' }, { auth_type: 'ec2', bound_ami_id: 'ami-1' });
    await call('role.delete', { params: { role: 'x' }, token });
    await codeOf(call('role.delete', { params: { role: 'x' } }));
    expect(events.map(({ operation, outcome, principal }) => [operation, outcome, principal])).toEqual([
      ['token.create-root', 'allowed', 'host'],
      ['role.write', 'allowed', 'host'],
      ['role.delete', 'allowed', events[0]?.accessor],
      ['role.delete', 'denied', undefined],
    ]);
    expect(events[2]?.details).toEqual({ role: 'x' });
  });
});

it('V4: a flood of made-up tokens is one event a second, which counts the calls (AUDIT-9)', async () => {
  const { call, events, clock } = createTestMethod();
  for (let at = 0; at < 40; at += 1) {
    await codeOf(call('role.read', { params: { role: `r${at}` }, token: `pst_${'x'.repeat(40)}` }));
    clock.advance(50);
  }
  expect(events.map(({ reason, details }) => [reason, details?.['count']])).toEqual([
    ['token_unknown', undefined],
    ['token_unknown', '20'],
  ]);
});

describe('the audit key', () => {
  it('is one for the installation, made by any node', async () => {
    const first = createTestMethod();
    const others = Array.from({ length: 5 }, (_, at) =>
      createTestMethod({ beside: first, storage: (inner) => createFaultStorage(inner, { seed: at, maxYields: 4 }) }),
    );
    await Promise.all(others.map((other) => codeOf(other.call('token.lookup-self', { token: 'same' }))));
    const hashes = others.map(({ events }) => events[0]?.tokenHash);
    expect(new Set(hashes).size).toBe(1);
    expect(hashes[0]).toMatch(/^[\w-]{43}$/);
  });

  it('that cannot be read does not hide why a call failed', async () => {
    const test = createTestMethod();
    await test.memory.close();
    expect(await codeOf(test.call('token.lookup-self', { token: 'x' }))).toBe('storage_unavailable');
    expect(test.events).toHaveLength(1);
  });

  it('that cannot be read fails a call that was allowed, as storage that fails', async () => {
    const first = createTestMethod();
    const token = await first.method.createRootToken();
    const second = createTestMethod({
      beside: first,
      storage: (inner) =>
        withMethods(inner, {
          async get(key, options) {
            if (key.endsWith('audit/key')) throw new StorageError('unavailable', 'down');
            return inner.get(key, options);
          },
        }),
    });
    expect(await codeOf(second.call('token.lookup-self', { token }))).toBe('storage_unavailable');
  });

  it('that is corrupt fails calls that need it', async () => {
    const test = createTestMethod();
    await test.memory.commit([{ type: 'put', key: 'postern/auth/audit/key', value: '{"key":"short"}', if: 'any' }]);
    expect(await codeOf(test.method.createRootToken())).toBe('audit_unavailable');
  });
});

describe('a sink that fails', () => {
  const failing = (fails: { now: boolean }) =>
    createTestMethod({
      audit: () => {
        if (fails.now) throw new TypeError('disk full');
      },
    });

  it('fails a call that changes nothing, allowed or denied', async () => {
    const fails = { now: false };
    const { method, call } = failing(fails);
    const token = await method.createRootToken();
    fails.now = true;
    expect(await codeOf(call('token.lookup-self', { token: 'x' }))).toBe('audit_unavailable');
    expect(await codeOf(call('token.lookup-self', { token }))).toBe('audit_unavailable');
  });

  it('does not fail a login: its event is stored with it, and told when the sink works again', async () => {
    const fails = { now: true };
    const { cloud, putRole, login, tokens, method, events } = failing(fails);
    const instance = cloud.launchInstance({ instanceId: 'i-1' });
    await putRole({ disallowReauthentication: true });
    const { accessor } = await login(instance);
    expect(await tokens()).toHaveLength(1);
    expect(events).toEqual([]);
    fails.now = false;
    await method.feedAudit();
    expect(events).toMatchObject([{ operation: 'login', outcome: 'allowed', accessor }]);
  });

  it('V3: stops changes before anything happens, once it has failed for a minute', async () => {
    const fails = { now: true };
    const { cloud, putRole, login, tokens, entry, host, clock, call, method } = failing(fails);
    const instance = cloud.launchInstance({ instanceId: 'i-1' });
    await putRole();
    const root = await method.createRootToken();
    const { accessor } = await login(instance, { nonce: 'N' });
    const before = await entry('i-1');
    clock.advance(60_001);
    const codes = [
      codeOf(login(instance, { nonce: 'N' })),
      codeOf(login(cloud.launchInstance({ instanceId: 'i-2' }))),
      codeOf(host('role.write', { role: 'x' }, { auth_type: 'ec2', bound_ami_id: 'ami-1' })),
      codeOf(call('role.delete', { params: { role: 'r' }, token: root })),
      codeOf(call('token.revoke-accessor', { fields: { accessor }, token: root })),
      codeOf(call('config.client.write', { fields: { sts_endpoint: 'https://sts.example' }, token: root })),
      codeOf(call('access-list.delete', { params: { instance_id: 'i-1' }, token: root })),
    ];
    expect(new Set(await Promise.all(codes))).toEqual(new Set(['audit_unavailable']));
    expect(await entry('i-1')).toEqual(before);
    expect(await tokens()).toHaveLength(2);
    fails.now = false;
    await method.feedAudit();
    await login(instance, { nonce: 'N' });
  });
});

describe('a secret', () => {
  it('is in no event, no error and no view of the method (THREAT-36)', async () => {
    const test = createTestMethod();
    const { cloud, putRole, login, call, method, events } = test;
    const instance = cloud.launchInstance({ instanceId: 'i-1' });
    await putRole({ allowInstanceMigration: true });
    const root = await method.createRootToken();
    const { rsa2048, documentBase64, signature } = instance.identityDocument();
    const canary = 'canary-nonce-4f1c';
    const generated = await login(cloud.launchInstance({ instanceId: 'i-2' }));
    const { client_token: token } = await login(instance, { nonce: canary });
    const thrown: unknown[] = [];
    const attempt = (operation: string, more: Parameters<typeof call>[1]) =>
      call(operation, more).catch((error: unknown) => thrown.push(error));
    await attempt('login', { fields: { pkcs7: rsa2048, role: 'r', nonce: `${canary}-wrong` } });
    await attempt('login', {
      fields: { identity: documentBase64, signature: `${signature.slice(0, -9)}AAAAAAA=`, role: 'r' },
    });
    await attempt('login', { fields: { pkcs7: rsa2048, identity: documentBase64, signature, nonce: canary } });
    await attempt('login', { fields: { pkcs7: rsa2048, role: 'none', nonce: canary } });
    await attempt('token.renew-self', { token: `${token}x` });
    await attempt('role.list', { token });
    await attempt('token.lookup', { token: root, fields: { token: `${token}x` } });
    await attempt('token.renew', { token: root, fields: { token: root } });
    await attempt('config.client.read', { token: root });
    expect(thrown).toHaveLength(9);
    instance.stop();
    await attempt('token.renew-self', { token });
    const everything = inspect([events, thrown, method, method.operations], {
      depth: 20,
      maxStringLength: null,
      maxArrayLength: null,
    });
    const secrets = [
      canary,
      token,
      root,
      generated.client_token,
      generated.metadata['nonce'] ?? '',
      signature.slice(0, 40),
      documentBase64.slice(0, 40),
      rsa2048.slice(0, 40),
    ];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(everything).not.toContain(secret);
    }
  });
});

describe('the hash of a secret', () => {
  it('comes at once where the key is known and the port does not wait, and is the same where it does', async () => {
    const { context } = createTestMethod();
    const hash = createAuditHash(context);
    const first = await hash('token', 'a secret');
    expect(hash('token', 'a secret')).toBe(first);
    expect(hash('nonce', 'a secret')).not.toBe(first);
    const { crypto } = context.ports;
    const slow = { ...crypto, hmac: async (...given: Parameters<typeof crypto.hmac>) => crypto.hmac(...given) };
    const waiting = createAuditHash({ ...context, ports: { ...context.ports, crypto: slow } });
    expect(await waiting('token', 'a secret')).toBe(first);
    const again = waiting('token', 'a secret');
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toBe(first);
  });
});
