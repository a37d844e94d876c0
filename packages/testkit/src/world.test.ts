/** The test world in the three lines that it promises, and what a test of an embedder does with it. */
import { isAuthError } from '@postern/core-auth';
import { describe, expect, it } from 'vitest';
import { createTestWorld } from './world.js';

describe('the test world', () => {
  it('logs an instance in, in three lines', async () => {
    const { auth, login } = createTestWorld();
    const { token } = await login({ policies: ['jobs'] });
    expect(await auth.useToken(token, { requestId: 'r', peerAddress: undefined })).toMatchObject({
      policies: ['default', 'jobs'],
    });
  });

  it('W11: names holders of tokens by kind and account, whatever they are called', async () => {
    const { auth, cloud, login, loginPrincipal } = createTestWorld();
    const nameOf = async (token: string) =>
      (await auth.useToken(token, { requestId: 'r', peerAddress: undefined }))?.name;
    const { token, instance } = await login();
    expect(await nameOf(token)).toBe(`instance ${instance.instanceId} (${instance.accountId})`);
    const user = await loginPrincipal({ principal: cloud.createUser({ name: instance.instanceId }) });
    expect(await nameOf(user.token)).toBe(`iam user ${instance.instanceId} (${cloud.ownAccountId})`);
    const role = await loginPrincipal();
    expect(await nameOf(role.token)).toMatch(/^iam role [^ ]+\/[^ ]+ \(\d{12}\)$/);
  });

  it('asks the instance for its nonce at the second login', async () => {
    const { login } = createTestWorld();
    const { instance, nonce } = await login();
    await expect(login({ instance })).rejects.toMatchObject({ code: 'nonce_mismatch' });
    expect((await login({ instance, ...(nonce === undefined ? {} : { nonce }) })).nonce).toBe(nonce);
  });

  it('logs users and roles in by signed requests', async () => {
    const { cloud, loginPrincipal } = createTestWorld();
    const user = cloud.createUser({ name: 'ada' });
    expect((await loginPrincipal({ principal: user })).auth.metadata).toMatchObject({ auth_type: 'iam' });
    const [first, second] = [await loginPrincipal(), await loginPrincipal({ policies: ['deploy'] })];
    expect(first.principal).toBe(second.principal);
    expect(second.auth.policies).toEqual(['default', 'deploy']);
  });

  it('logs in to a role that the test has written', async () => {
    const { auth, login } = createTestWorld();
    await auth.roles.write('web', { auth_type: 'ec2', bound_ami_id: 'ami-0123456789abcdef0' });
    await expect(login({ role: 'web' })).rejects.toMatchObject({ code: 'bound_ami_id_mismatch' });
  });

  it('expires tokens when the clock is moved', async () => {
    const { auth, clock, login } = createTestWorld({ options: { defaultTtlSeconds: 60 } });
    const { token } = await login();
    clock.advance(60_000);
    expect(await auth.useToken(token, { requestId: 'r', peerAddress: undefined })).toBeUndefined();
  });

  it('shows the audit events, and takes an authorizer', async () => {
    const world = createTestWorld({
      ports: { authorizer: { isAllowed: ({ policies }) => policies.includes('admin') } },
    });
    const { token } = await world.login({ policies: ['admin'] });
    await world.auth.withToken(token).roles.list();
    const { token: other } = await world.login();
    const refused = await world.auth
      .withToken(other)
      .roles.list()
      .catch((error: unknown) => error);
    expect(isAuthError(refused) && refused.code).toBe('permission_denied');
    expect(world.events.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
      'role.write allowed',
      'login allowed',
      'role.list allowed',
      'role.write allowed',
      'login allowed',
      'role.list denied',
    ]);
  });

  it('is the same world twice', async () => {
    const ids = async () => (await createTestWorld().login()).instance.instanceId;
    expect(await ids()).toBe(await ids());
  });
});
