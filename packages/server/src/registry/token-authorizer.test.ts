/** Tokens that instances logged in for, at the registry: who they are, what their policies grant. */
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { isProviderError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createFaultStorage, createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createPolicyAuthorizer } from '../policy-authorizer.js';
import { createTokenAuthorizer } from './token-authorizer.js';

async function world() {
  const clock = createManualClock(Date.UTC(2026, 10, 21, 9));
  const cloud = createFakeCloud({ clock, seed: 'registry tokens' });
  const crypto = createNodeCrypto();
  const storage = createFaultStorage(createMemoryStorage());
  const method = createAuthMethod(
    {
      storage,
      clock,
      random: crypto,
      verifier: crypto,
      digest: crypto,
      hmac: crypto,
      cipher: crypto,
      instances: cloud.instanceDirectory,
      profiles: cloud.profileDirectory,
      principals: cloud.principalDirectory,
      audit: { record: () => undefined },
    },
    { builtInCertificates: cloud.defaultCertificates() },
  );
  const ask = { requestId: 'r', peerAddress: undefined };
  const login = async (policies: string) => {
    const fields = { auth_type: 'ec2', bound_ami_id: 'ami-1', token_policies: policies, token_ttl: '1h' };
    await method.callAsHost({ ...ask, operation: 'role.write', params: { role: 'dev' }, fields });
    const pkcs7 = cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048;
    const outcome = await method.call({
      ...ask,
      operation: 'login',
      params: {},
      fields: { role: 'dev', pkcs7 },
      token: undefined,
    });
    return String(outcome.auth?.client_token);
  };
  const authorizer = createTokenAuthorizer({
    method,
    authorizer: createPolicyAuthorizer({
      reader: { 'registry/acme': ['read'] },
      manager: { 'registry/*': ['read', 'update'], 'registry/secret': ['deny'] },
    }),
    namespaces: () => ['secret', 'acme', 'other'],
  });
  return { method, clock, storage, login, authorizer };
}

describe('a token of the auth method', () => {
  it.each([
    ['reader', 'acme', 'read', true],
    ['reader', 'acme', 'manage', false],
    ['reader', 'other', 'read', false],
    ['manager', 'other', 'manage', true],
    ['manager', 'secret', 'read', false],
    ['nobody', 'acme', 'read', false],
  ] as const)('with policy %s in %s to %s: %s', async (policy, namespace, action, allowed) => {
    const { login, authorizer } = await world();
    const caller = await authorizer.identify(await login(policy));
    expect(caller?.policies).toContain(policy);
    expect(await authorizer.isAllowed({ caller: caller ?? { name: '', policies: [] }, namespace, action })).toBe(
      allowed,
    );
  });

  it('reads the organizations that its policies grant, in order', async () => {
    const { method, login, authorizer } = await world();
    const readable = async (token: string) => {
      const caller = await authorizer.identify(token);
      return caller === undefined ? undefined : await authorizer.readableNamespaces(caller);
    };
    expect(await readable(await login('manager'))).toEqual(['acme', 'other']);
    expect(await readable(await login('reader'))).toEqual(['acme']);
    expect(await readable(await method.createRootToken())).toEqual(['acme', 'other', 'secret']);
  });

  it('that is wrong or over is nobody', async () => {
    const { clock, login, authorizer } = await world();
    const token = await login('reader');
    expect(await authorizer.identify('made up')).toBeUndefined();
    clock.advance(2 * 3600 * 1000);
    expect(await authorizer.identify(token)).toBeUndefined();
  });

  it('could not be looked up: that is no refusal', async () => {
    const { storage, login, authorizer } = await world();
    const token = await login('reader');
    storage.failNextRead('unavailable');
    await expect(Promise.resolve(authorizer.identify(token))).rejects.toSatisfy(isProviderError);
  });
});
