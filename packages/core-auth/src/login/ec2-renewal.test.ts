/** Renewal of ec2 tokens (RENEW-1, RENEW-2). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, START, tokenParameters } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';

const HOUR = 3600;

async function world(token: Partial<Role['token']> = {}, role: Partial<Role> = {}) {
  const test = createTestMethod({ options: { defaultTtlSeconds: HOUR, maxTtlSeconds: 48 * HOUR } });
  const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
  await test.putRole({ token: tokenParameters(token), ...role });
  const auth = await test.login(instance, { nonce: 'N' });
  const renew = async (increment?: unknown) => {
    const fields = increment === undefined ? {} : { increment };
    return test.call('token.renew-self', { token: auth.client_token, fields });
  };
  const record = async () => (await test.inside.collections.tokens.get(auth.accessor))?.value;
  return { ...test, instance, auth, renew, record };
}

describe('a renewal', () => {
  it('starts the lifetime again and moves the entry', async () => {
    const { renew, clock, auth, entry, record } = await world();
    clock.advance(1_800_000);
    expect(await renew()).toEqual({ auth: { ...auth, lease_duration: HOUR } });
    expect(await record()).toMatchObject({
      expiresAt: START + 1_800_000 + HOUR * 1000,
      lastRenewedAt: START + 1_800_000,
    });
    expect(await entry('i-1')).toMatchObject({
      createdAt: START,
      updatedAt: START + 1_800_000,
      expiresAt: START + 1_800_000 + 48 * HOUR * 1000,
      clientNonce: 'N',
    });
  });

  it.each([
    [600, 600],
    ['10m', 600],
    ['100h', 48 * HOUR],
    [0, HOUR],
    [null, HOUR],
  ])('asked for %j gives %d seconds', async (increment, seconds) => {
    const { renew } = await world();
    const { auth, warnings } = await renew(increment);
    expect(auth?.lease_duration).toBe(seconds);
    expect(warnings === undefined).toBe(increment !== '100h');
  });

  it.each([[-5], ['soon'], [1.5]])('asked for %j is refused', async (increment) => {
    const { renew } = await world();
    expect(await codeOf(renew(increment))).toBe('field_invalid');
  });

  it('takes the lifetimes of now and leaves the policies as they were', async () => {
    const { renew, putRole } = await world({ policies: ['a'] });
    await putRole({ token: tokenParameters({ ttlSeconds: 60, policies: ['a', 'b', 'c'] }) });
    const { auth } = await renew();
    expect(auth?.lease_duration).toBe(60);
    expect(auth?.policies).toEqual(['a', 'default']);
  });

  it('takes the role that logged in, not the one of the entry (RENEW-1)', async () => {
    const { login, instance, call, putRole } = await world();
    await putRole({ name: 'q', roleId: 'id-of-q', token: tokenParameters({ ttlSeconds: 120 }) });
    const { client_token: token } = await login(instance, { role: 'q', nonce: 'N' });
    expect((await call('token.renew-self', { token })).auth?.lease_duration).toBe(120);
  });

  it('ends at the maximum after issue', async () => {
    const { renew, clock } = await world({ maxTtlSeconds: 90 * 60 });
    clock.advance(45 * 60_000);
    expect((await renew()).auth?.lease_duration).toBe(45 * 60);
    clock.advance(45 * 60_000 - 500);
    expect(await codeOf(renew())).toBe('token_lifetime_exhausted');
  });

  it('of a period goes on without end', async () => {
    const { renew, clock } = await world({ periodSeconds: 1800 });
    for (let half = 0; half < 200; half += 1) {
      clock.advance(1_700_000);
      expect((await renew()).auth?.lease_duration).toBe(1800);
    }
  });

  it('of a period ends at the explicit maximum of its issue', async () => {
    const { renew, clock, putRole } = await world({ periodSeconds: 1800, explicitMaxTtlSeconds: 2700 });
    await putRole({ token: tokenParameters({ periodSeconds: 1800 }) });
    clock.advance(1_700_000);
    expect((await renew()).auth?.lease_duration).toBe(1000);
  });

  it('takes the period of now', async () => {
    const { renew, putRole, record } = await world({ periodSeconds: 1800 });
    await putRole({ token: tokenParameters({ periodSeconds: 600 }) });
    expect((await renew()).auth?.lease_duration).toBe(600);
    expect((await record())?.periodSeconds).toBe(600);
  });

  it('of an expired token is refused like that of an unknown one', async () => {
    const { renew, clock } = await world();
    clock.advance(HOUR * 1000);
    expect(await codeOf(renew())).toBe('permission_denied');
  });

  it('needs the instance to run (400, not 500: ERROR-2)', async () => {
    const { renew, instance, clock } = await world();
    instance.stop();
    expect(await codeOf(renew())).toBe('instance_not_running');
    instance.vanish();
    clock.advance(10_000);
    expect(await codeOf(renew())).toBe('instance_not_found');
  });

  it('is neither refused nor granted while the provider throttles', async () => {
    const { renew, cloud, clock } = await world();
    cloud.behaviour.describeInstance.throttle({ times: 1 });
    expect(await codeOf(renew())).toBe('provider_unavailable');
    clock.advance(10_000);
    await renew();
  });

  it('needs the entry, expired or not (ACCESS-5)', async () => {
    const { renew, host, putEntry, entry } = await world();
    await putEntry('i-1', { expiresAt: START });
    expect(await codeOf(renew())).toBe('allowed');
    await host('access-list.delete', { instance_id: 'i-1' });
    expect(await codeOf(renew())).toBe('access_list_entry_missing');
    expect(await entry('i-1')).toBeUndefined();
  });

  it('needs the very role that logged in', async () => {
    const { renew, putRole, memory, inside } = await world();
    await putRole({ roleId: 'made again' });
    expect(await codeOf(renew())).toBe('role_not_found');
    await memory.commit([inside.collections.roles.delete('r', 'any')]);
    expect(await codeOf(renew())).toBe('role_not_found');
  });

  it('does not ask again what is of a login: nonce, tag, reauthentication', async () => {
    const { renew, putRole } = await world();
    await putRole({ disallowReauthentication: true, roleTagKey: 'Tag' });
    await renew();
  });

  it('W7: asks the provider once in 10 seconds, however many renew at once', async () => {
    const { renew, cloud, clock } = await world();
    cloud.clearCalls();
    await Promise.all([renew(), renew(), renew()]);
    clock.advance(9_999);
    await renew();
    expect(cloud.calls.map(({ method }) => method)).toEqual(['describeInstance']);
    clock.advance(1);
    await renew();
    expect(cloud.calls).toHaveLength(2);
  });

  it('W7: remembers a denial no longer', async () => {
    const { renew, instance, clock } = await world();
    instance.stop();
    expect(await codeOf(renew())).toBe('instance_not_running');
    instance.start();
    clock.advance(9_999);
    expect(await codeOf(renew())).toBe('instance_not_running');
    clock.advance(1);
    expect(await codeOf(renew())).toBe('allowed');
  });

  it('W7: asks each time where the host says so', async () => {
    const test = createTestMethod({ options: { renewalAnswerSeconds: 0 } });
    const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
    await test.putRole();
    const { client_token: token } = await test.login(instance, { nonce: 'N' });
    instance.stop();
    expect(await codeOf(test.call('token.renew-self', { token }))).toBe('instance_not_running');
    instance.start();
    expect(await codeOf(test.call('token.renew-self', { token }))).toBe('allowed');
  });

  it('of a root token is refused', async () => {
    const { call, method } = await world();
    const token = await method.createRootToken();
    expect(await codeOf(call('token.renew-self', { token }))).toBe('token_not_renewable');
  });
});

describe('a renewal after the role narrowed (RENEW-4)', () => {
  it.each<[string, Partial<Role>, string]>([
    ['a policy', { token: tokenParameters({ policies: ['read'] }) }, 'policies'],
    [
      'the default policy',
      { token: tokenParameters({ policies: ['admin', 'read'], noDefaultPolicy: true }) },
      'policies',
    ],
    ['every policy, by naming root', { token: tokenParameters({ policies: ['admin', 'read', 'root'] }) }, 'policies'],
    ['the image', { boundAmiIds: ['ami-other'] }, 'bound_ami_id_mismatch'],
    ['the account', { boundAccountIds: ['222222222222'] }, 'bound_account_id_mismatch'],
    ['the region', { boundRegions: ['eu-west-1'] }, 'bound_region_mismatch'],
    ['the subnet', { boundSubnetIds: ['subnet-other'] }, 'bound_subnet_id_mismatch'],
    [
      'the role of the profile',
      { boundIamRoleArns: ['arn:aws:iam::111111111111:role/x'] },
      'bound_iam_role_arn_mismatch',
    ],
    [
      'the addresses',
      { token: tokenParameters({ policies: ['admin', 'read'], boundCidrs: ['192.168.0.0/16'] }) },
      'peer_address_not_allowed',
    ],
  ])('W1: ends a periodic token: %s', async (_what, role, reason) => {
    const test = await world({ policies: ['admin', 'read'], periodSeconds: 1800 });
    await test.putRole({ token: tokenParameters({ policies: ['admin', 'read'] }), ...role });
    expect(await codeOf(test.renew())).toBe('role_narrowed');
    expect(test.events.at(-1)).toMatchObject({ code: 'role_narrowed', reason, details: { narrowed: reason } });
    expect(await test.record()).toBeUndefined();
    expect(await codeOf(test.renew())).toBe('permission_denied');
  });

  it('W1: goes on where the role still grants what the token holds, and more', async () => {
    const { renew, putRole } = await world({ policies: ['read'] });
    await putRole({ token: tokenParameters({ policies: ['admin', 'read'] }), boundRegions: ['us-east-1'] });
    expect((await renew()).auth?.policies).toEqual(['default', 'read']);
  });

  it('takes the addresses of the role on, and never more than the token had', async () => {
    const { renew, putRole, record } = await world({ boundCidrs: ['10.0.0.0/8'] });
    await putRole({ token: tokenParameters({ boundCidrs: ['10.0.0.0/16', '192.0.2.0/24'] }) });
    await renew();
    expect((await record())?.boundCidrs).toEqual(['10.0.0.0/16']);
    await putRole({ token: tokenParameters() });
    await renew();
    expect((await record())?.boundCidrs).toEqual(['10.0.0.0/16']);
  });

  it('by somebody else is not judged by their address, and binds the token all the same', async () => {
    const { call, method, putRole, auth, record } = await world();
    await putRole({ token: tokenParameters({ boundCidrs: ['192.0.2.0/24'] }) });
    const renewal = { token: await method.createRootToken(), fields: { token: auth.client_token } };
    expect(await codeOf(call('token.renew', renewal))).toBe('allowed');
    expect((await record())?.boundCidrs).toEqual(['192.0.2.0/24']);
  });

  it('ends where no address is left', async () => {
    const { call, method, putRole, auth, record } = await world({ boundCidrs: ['10.0.0.0/8'] });
    await putRole({ token: tokenParameters({ boundCidrs: ['192.0.2.0/24'] }) });
    const renewal = { token: await method.createRootToken(), fields: { token: auth.client_token } };
    expect(await codeOf(call('token.renew', renewal))).toBe('role_narrowed');
    expect(await record()).toBeUndefined();
  });

  it('asks about the profile where the role is bound to it now', async () => {
    const test = createTestMethod();
    const role = test.cloud.createRole({ name: 'web' });
    const { arn: instanceProfileArn } = test.cloud.createInstanceProfile({ name: 'p', roleArns: [role.arn] });
    const instance = test.cloud.launchInstance({ instanceId: 'i-1', instanceProfileArn });
    await test.putRole();
    const { client_token: token } = await test.login(instance);
    await test.putRole({ boundIamRoleArns: [role.arn] });
    test.cloud.clearCalls();
    expect(await codeOf(test.call('token.renew-self', { token }))).toBe('allowed');
    expect(test.cloud.calls.map(({ method }) => method)).toEqual(['describeInstance', 'rolesOfProfile']);
  });

  it('keeps what a role tag granted beyond the role: default', async () => {
    const { renew, putRole } = await world();
    await putRole({ roleTagKey: 'T', token: tokenParameters({ noDefaultPolicy: true }) });
    await renew();
  });
});
