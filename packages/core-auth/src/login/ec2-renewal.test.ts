/** Renewal of ec2 tokens (RENEW-1, RENEW-2; cases ren-*, ttl-*). */
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

  it('of a period goes on without end (ttl-005)', async () => {
    const { renew, clock } = await world({ periodSeconds: 1800 });
    for (let half = 0; half < 200; half += 1) {
      clock.advance(1_700_000);
      expect((await renew()).auth?.lease_duration).toBe(1800);
    }
  });

  it('of a period ends at the explicit maximum of its issue (ttl-007)', async () => {
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

  it('needs the instance to run (ren-003; 400, not 500: ERROR-2)', async () => {
    const { renew, instance } = await world();
    instance.stop();
    expect(await codeOf(renew())).toBe('instance_not_running');
    instance.vanish();
    expect(await codeOf(renew())).toBe('instance_not_found');
  });

  it('is neither refused nor granted while the provider throttles', async () => {
    const { renew, cloud } = await world();
    cloud.behaviour.describeInstance.throttle({ times: 1 });
    expect(await codeOf(renew())).toBe('provider_unavailable');
    await renew();
  });

  it('needs the entry, unexpired (ren-004, ACCESS-3)', async () => {
    const { renew, host, putEntry, entry } = await world();
    await putEntry('i-1', { expiresAt: START });
    expect(await codeOf(renew())).toBe('access_list_entry_missing');
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

  it('does not ask again what a login asks: bindings, nonce, bounds of the role', async () => {
    const { renew, putRole } = await world();
    const token = tokenParameters({ boundCidrs: ['192.168.0.0/16'] });
    await putRole({ boundAmiIds: ['ami-other'], disallowReauthentication: true, token });
    await renew();
  });

  it('asks the provider once', async () => {
    const { renew, cloud } = await world();
    cloud.clearCalls();
    await renew();
    expect(cloud.calls.map(({ method }) => method)).toEqual(['describeInstance']);
  });

  it('of a root token is refused', async () => {
    const { call, method } = await world();
    const token = await method.createRootToken();
    expect(await codeOf(call('token.renew-self', { token }))).toBe('token_not_renewable');
  });
});
