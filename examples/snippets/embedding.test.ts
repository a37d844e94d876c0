/** Snippets of docs/embedding.md and of the READMEs of core-auth, crypto-node, crypto-web, http and testkit. */
import { expect, it } from 'vitest';

// Below, what the pages show.

// #region core-auth
import { createAuthMethod, isAuthError } from '@postern/core-auth';

// #endregion

// #region crypto-node
import { createNodeCrypto } from '@postern/crypto-node';

// #endregion

// #region crypto-web
import { createWebCrypto } from '@postern/crypto-web';

// #endregion

// #region http
import { createAuthApp } from '@postern/http/auth';

// #endregion

// #region testkit
import { createFakeCloud, createManualClock } from '@postern/testkit';

// #endregion

// #region world
import { createTestWorld } from '@postern/testkit/world';

// #endregion

// #region authorizer
import type { Authorizer } from '@postern/ports';

// #endregion

import { createMemoryStorage } from '@postern/storage-memory';

async function createWorld() {
  // #region testkit
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const cloud = createFakeCloud({ clock });
  const instance = cloud.launchInstance();
  const { rsa2048: pkcs7 } = instance.identityDocument(); // signed by the fake AWS
  instance.stop(); // from now on a login is instance_not_running
  instance.start();
  // #endregion
  const storage = createMemoryStorage();
  const audit = { record: () => undefined };
  const options = { builtInCertificates: cloud.defaultCertificates() };
  // #region core-auth
  const method = createAuthMethod({ storage, clock, crypto: createNodeCrypto(), cloud, audit }, options);
  // #endregion
  await method.roles.write('web', { auth_type: 'ec2', bound_account_id: cloud.ownAccountId });
  return { method, pkcs7, clock, cloud, storage, audit, options };
}

it('makes a world for a test', async () => {
  // #region world
  const { auth, clock, cloud, login } = createTestWorld();
  const { token, instance, nonce } = await login({ policies: ['web'] }); // a new instance, a role that admits it
  clock.advance(3_600_000); // tokens and documents age
  // #endregion
  expect(await auth.useToken(token, { requestId: 'r', peerAddress: undefined })).toBeDefined();
  expect([cloud.instance(instance.instanceId), typeof nonce]).toEqual([instance, 'string']);
});

it('calls operations by typed functions', async () => {
  const { method: auth, pkcs7 } = await createWorld();
  // #region typed
  await auth.roles.write('web', { auth_type: 'ec2', bound_region: 'us-east-1', token_policies: ['web'] });
  const { auth: granted } = await auth.login({ role: 'web', pkcs7 }, { peerAddress: '10.0.0.7' });
  const { data } = await auth.roles.list(); // data.keys: string[]
  await auth.call('role.delete', { role: 'web' }); // the same, by id
  // #endregion
  expect(granted.policies).toEqual(['default', 'web']);
  expect(data.keys).toEqual(['web']);
});

it('calls an operation by the untyped door', async () => {
  const { method, pkcs7 } = await createWorld();
  const { signal } = new AbortController();
  // #region call
  const outcome = await method.handle({
    operation: 'login', // an id of method.operations
    params: {}, // of the path: { role: 'web' }
    fields: { role: 'web', pkcs7 }, // of the body, as parsed, not validated
    token: undefined, // the caller's, if one was sent
    requestId: 'a1b2', // in the answer, the audit event and your log
    peerAddress: '10.0.0.7', // the caller's; undefined if not known
    signal, // aborts with the caller
  });
  outcome.auth; // of a login or renewal: client_token, policies, lease_duration, metadata …
  outcome.data; // of a read or list
  outcome.warnings; // texts
  // #endregion
  expect(outcome.auth?.policies).toEqual(['default']);
});

it('tells rejected from unavailable', async () => {
  const { method, cloud, pkcs7 } = await createWorld();
  const login = (role: string) => method.login({ role, pkcs7 });
  const tryLogin = async (role: string) => {
    // #region core-auth
    try {
      await login(role);
      return 'logged in';
    } catch (error) {
      if (!isAuthError(error)) throw error;
      switch (error.kind) {
        case 'unavailable': // could not be checked: retry after error.retryAfterSeconds
        case 'misconfigured': // an operator must act
        case 'internal': // a defect: error.cause, for your log only
          return 'later';
        default: // checked and rejected: error.code says why
          return error.code;
      }
    }
    // #endregion
  };
  expect(await tryLogin('nobody')).toBe('role_not_found');
  cloud.behaviour.describeInstance.throttle({ times: 1 });
  expect(await tryLogin('web')).toBe('later');
});

it('authorizes management calls', () => {
  // #region authorizer
  const authorizer: Authorizer = {
    isAllowed: ({ policies, path, capability }) =>
      policies.includes('role-reader') && path.startsWith('auth/cloud/role/') && capability === 'read',
  };
  // #endregion
  const path = 'auth/cloud/role/web';
  expect(authorizer.isAllowed({ policies: ['role-reader'], path, capability: 'read' })).toBe(true);
  expect(authorizer.isAllowed({ policies: ['role-reader'], path, capability: 'delete' })).toBe(false);
});

it('serves HTTP', async () => {
  const { method, clock } = await createWorld();
  // #region http
  const app = createAuthApp({
    method,
    peerAddress: (_request, address: string | undefined) => address,
    health: () => ({ storageReachable: true, version: '1', serverTime: clock.now() }),
  });
  const response = await app.fetch(new Request('https://postern.example/v1/sys/health'), '192.0.2.7');
  // #endregion
  expect(response.status).toBe(200);
});

it.each(['node', 'web'])('takes the cryptography of %s', async (platform) => {
  const { cloud, storage, audit, options, pkcs7 } = await createWorld();
  const create = {
    node: () => {
      // #region crypto-node
      const method = createAuthMethod({ storage, cloud, audit, crypto: createNodeCrypto() }, options);
      // #endregion
      return method;
    },
    web: () => {
      // #region crypto-web
      const method = createAuthMethod({ storage, cloud, audit, crypto: createWebCrypto() }, options);
      // #endregion
      return method;
    },
  }[platform];
  const { auth } = (await create?.().login({ role: 'web', pkcs7 })) ?? {};
  expect(auth?.policies).toEqual(['default']);
});
