/** Tokens that instances logged in for, at the registry: who they are, what their policies grant. */
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { isProviderError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createFaultStorage, createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createTokenAuthorizer, REGISTRY_POLICY_PATHS } from './token-authorizer.js';

async function world() {
  const clock = createManualClock(Date.UTC(2026, 10, 21, 9));
  const cloud = createFakeCloud({ clock, seed: 'registry tokens' });
  const crypto = createNodeCrypto();
  const storage = createFaultStorage(createMemoryStorage());
  const method = createAuthMethod(
    {
      storage,
      clock,
      crypto,
      cloud,
      audit: { record: () => undefined },
    },
    {
      builtInCertificates: cloud.defaultCertificates(),
      policyPaths: REGISTRY_POLICY_PATHS,
      policies: {
        reader: { 'registry/acme': ['read'] },
        manager: { 'registry/*': ['read', 'update'], 'registry/secret': ['deny'] },
        lister: { 'registry/acme': ['list'] },
        creator: { 'registry/acme': ['create'] },
        eraser: { 'registry/acme': ['delete'] },
      },
    },
  );
  const ask = { requestId: 'r', peerAddress: '10.0.0.1' };
  const login = async (policies: string, role: object = {}) => {
    const fields = { auth_type: 'ec2', bound_ami_id: 'ami-1', token_policies: policies, token_ttl: '1h', ...role };
    await method.handleAsHost({ ...ask, operation: 'role.write', params: { role: 'dev' }, fields });
    const pkcs7 = cloud.launchInstance({ imageId: 'ami-1' }).identityDocument().rsa2048;
    const outcome = await method.handle({
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
    namespaces: () => ['secret', 'acme', 'other', 'closed'],
    organizations: new Set(['secret', 'acme', 'other', 'a/b', '']),
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
    ['lister', 'acme', 'read', true],
    ['lister', 'acme', 'manage', false],
    ['creator', 'acme', 'manage', true],
    ['creator', 'acme', 'read', false],
    ['eraser', 'acme', 'manage', false],
    ['manager', 'a/b', 'read', false],
    ['manager', '', 'read', false],
    ['manager', 'closed', 'read', false],
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

  it('that is unknown or expired identifies no caller', async () => {
    const { clock, login, authorizer } = await world();
    const token = await login('reader');
    expect(await authorizer.identify('made up')).toBeUndefined();
    const caller = await authorizer.identify(token);
    expect(await caller?.holds?.()).toBe(true);
    clock.advance(2 * 3600 * 1000);
    expect(await authorizer.identify(token)).toBeUndefined();
    expect(await caller?.holds?.()).toBe(false);
  });

  it('that is bound to addresses is accepted from those only', async () => {
    const { login, authorizer } = await world();
    const token = await login('reader', { token_bound_cidrs: '10.0.0.0/8' });
    const from = async (peerAddress?: string) => (await authorizer.identify(token, { peerAddress }))?.name;
    expect(await from('10.1.2.3')).toMatch(/^instance i-[0-9a-f]+ \(\d{12}\)$/);
    expect(await from('192.0.2.1')).toBeUndefined();
    expect(await from()).toBeUndefined();
  });

  it('with limited uses spends one for each identification', async () => {
    const { login, authorizer } = await world();
    const token = await login('reader', { token_num_uses: 2 });
    const ask = async () => (await authorizer.identify(token)) !== undefined;
    expect([await ask(), await ask(), await ask()]).toEqual([true, true, false]);
  });

  it('that could not be looked up is unavailable, not refused', async () => {
    const { storage, login, authorizer } = await world();
    const token = await login('reader');
    const caller = await authorizer.identify(token);
    storage.failNextRead('unavailable');
    await expect(Promise.resolve(authorizer.identify(token))).rejects.toSatisfy(isProviderError);
    storage.failNextRead('unavailable');
    await expect(Promise.resolve(caller?.holds?.())).rejects.toSatisfy(isProviderError);
  });
});
