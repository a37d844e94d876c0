/** Who holds a token, for other services of the host (TOKEN-9): a use of it like any other. */
import { createFaultStorage, type FaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createTestMethod, type TestMethodOptions, tokenParameters } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';

const AT = { requestId: 'elsewhere', peerAddress: '10.0.0.1' };

async function world(parameters: Partial<Role['token']> = {}, how: TestMethodOptions = {}) {
  const test = createTestMethod(how);
  const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
  await test.putRole({ token: tokenParameters({ ttlSeconds: 3600, policies: ['acme-modules'], ...parameters }) });
  const auth = await test.login(instance, { nonce: 'N' });
  return { ...test, auth, token: auth.client_token };
}

describe('the holder of a token', () => {
  it('is returned with name and policies, and leaves no audit event', async () => {
    const { method, token, events } = await world();
    const before = events.length;
    expect(await method.useToken(token, AT)).toEqual({
      name: expect.stringMatching(/^instance i-1 \(\d{12}\)$/),
      policies: ['acme-modules', 'default'],
      isLimited: false,
      holds: expect.any(Function),
    });
    expect(events).toHaveLength(before);
  });

  it('can be asked whether the token holds still, without spending a use (TOKEN-15)', async () => {
    const { method, token } = await world({ numUses: 3 });
    const holder = await method.useToken(token, AT);
    expect(await holder?.holds()).toBe(true);
    const last = [await method.useToken(token, AT), await method.useToken(token, AT)].at(-1);
    expect(await last?.holds()).toBe(true);
    expect(await holder?.holds()).toBe(false);
  });

  it('of a root token is root', async () => {
    const { method } = await world();
    const root = await method.createRootToken();
    expect(await method.useToken(root, AT)).toMatchObject({ name: 'root', policies: ['root'], isLimited: false });
  });

  it('of a batch token has the stable id of its principal in its name', async () => {
    const { method, token, auth } = await world({ type: 'batch' });
    expect(await method.useToken(token, AT)).toMatchObject({ name: `batch token cloud (${auth.entity_id})` });
  });

  it.each(['', 'pst_unknown', 'x'.repeat(100_000)])('of %.20s is rejected', async (token) => {
    const { method } = await world();
    expect(await method.useToken(token, AT)).toBeUndefined();
  });

  it('spends a use where uses are counted, and is rejected after the last', async () => {
    const { method, token } = await world({ numUses: 2 });
    expect(await method.useToken(token, AT)).toMatchObject({ isLimited: true });
    expect(await method.useToken(token, AT)).toMatchObject({ isLimited: true });
    expect(await method.useToken(token, AT)).toBeUndefined();
  });

  it.each([
    ['10.0.0.9', true],
    ['10.1.0.9', false],
    [undefined, false],
  ])('of a token bound to a block, asked for from %s: %s', async (peerAddress, isKnown) => {
    const { method, token } = await world({ boundCidrs: ['10.0.0.0/24'] });
    expect((await method.useToken(token, { ...AT, peerAddress })) !== undefined).toBe(isKnown);
  });

  it('is rejected once the token is over or revoked', async () => {
    const { method, token, clock, call } = await world();
    const other = await world();
    await other.call('token.revoke-self', { token: other.token });
    expect(await other.method.useToken(other.token, AT)).toBeUndefined();
    clock.advance(3_600_000);
    expect(await method.useToken(token, AT)).toBeUndefined();
    await expect(call('token.lookup-self', { token })).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('cannot be found out while storage fails: that is no denial', async () => {
    const faulty: FaultStorage[] = [];
    const storage: TestMethodOptions['storage'] = (inner) => {
      const made = createFaultStorage(inner);
      faulty.push(made);
      return made;
    };
    const { method, token } = await world({}, { storage });
    faulty[0]?.failNextRead('unavailable');
    await expect(method.useToken(token, AT)).rejects.toMatchObject({
      name: 'AuthError',
      code: 'storage_unavailable',
      kind: 'unavailable',
    });
    expect(await method.useToken(token, AT)).toMatchObject({ name: expect.stringMatching(/^instance i-1 /) });
  });
});
