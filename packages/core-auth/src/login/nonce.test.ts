/** What the nonce table does to entry and answer when played through whole logins (ACCESS-2, NONCE-1, NONCE-3, NONCE-7, ACCESS-5). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, DAY, START, tokenParameters } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';

async function world(role: Partial<Role> = {}) {
  const test = createTestMethod();
  const instance = test.cloud.launchInstance({ instanceId: 'i-1' });
  await test.putRole(role);
  return { ...test, instance };
}

describe('the nonce', () => {
  it('that was sent is stored and not returned', async () => {
    const { instance, login, entry } = await world();
    const { metadata } = await login(instance, { nonce: 'N' });
    expect(Object.hasOwn(metadata, 'nonce')).toBe(false);
    expect((await entry('i-1'))?.clientNonce).toBe('N');
  });

  it('that was generated opens the next login, and is returned once', async () => {
    const { instance, login, call } = await world();
    const { metadata } = await login(instance);
    const again = await login(instance, { nonce: metadata['nonce'] });
    expect(Object.hasOwn(again.metadata, 'nonce')).toBe(false);
    const { data } = await call('token.lookup-self', { token: again.client_token });
    expect(JSON.stringify(data)).not.toContain(metadata['nonce']);
  });

  it.each([[''], [null]])('%j closes the entry', async (nonce) => {
    const { instance, login, entry } = await world();
    const { metadata } = await login(instance, { nonce });
    expect(Object.hasOwn(metadata, 'nonce')).toBe(false);
    expect(await entry('i-1')).toMatchObject({ clientNonce: '', disallowReauthentication: true });
    for (const next of ['', 'N', 'reauthentication-disabled-nonce', undefined]) {
      expect(await codeOf(login(instance, next === undefined ? {} : { nonce: next }))).toBe(
        'reauthentication_disabled',
      );
    }
  });

  it('that is too long leaves no entry', async () => {
    const { instance, login, entry } = await world();
    expect(await codeOf(login(instance, { nonce: 'n'.repeat(129) }))).toBe('nonce_too_long');
    expect(await entry('i-1')).toBeUndefined();
  });

  it('that is not well-formed text is refused', async () => {
    const { instance, login } = await world();
    expect(await codeOf(login(instance, { nonce: '\ud800' }))).toBe('field_invalid');
  });

  it('is replaced after a migration, and the old one is dead (NONCE-7)', async () => {
    const { instance, login, entry } = await world({ allowInstanceMigration: true });
    await login(instance, { nonce: 'old' });
    instance.stop();
    instance.start();
    await login(instance, { nonce: 'new' });
    expect(await entry('i-1')).toMatchObject({ clientNonce: 'new', pendingTime: instance.pendingTime });
    expect(await codeOf(login(instance, { nonce: 'old' }))).toBe('nonce_mismatch');
    await login(instance, { nonce: 'new' });
  });

  it('made after a migration is stored and works (NONCE-7)', async () => {
    const { instance, login } = await world({ allowInstanceMigration: true });
    await login(instance, { nonce: 'old' });
    instance.stop();
    instance.start();
    const { metadata } = await login(instance);
    await login(instance, { nonce: metadata['nonce'] });
  });

  it('still opens one login after the role turned disallow on, which closes the entry', async () => {
    const { instance, login, entry, putRole } = await world();
    await login(instance, { nonce: 'N' });
    await putRole({ disallowReauthentication: true });
    await login(instance, { nonce: 'N' });
    expect(await entry('i-1')).toMatchObject({ clientNonce: '', disallowReauthentication: true });
    await putRole({ disallowReauthentication: false });
    expect(await codeOf(login(instance, { nonce: 'N' }))).toBe('reauthentication_disabled');
  });
});

describe('the entry', () => {
  it('keeps role and creation, and moves everything else', async () => {
    const { instance, login, entry, putRole, clock } = await world();
    await login(instance, { nonce: 'N' });
    await putRole({ name: 'q', roleId: 'id-of-q' });
    clock.advance(DAY);
    instance.stop();
    instance.start();
    await login(instance, { nonce: 'N', role: 'q' });
    expect(await entry('i-1')).toEqual({
      role: 'r',
      clientNonce: 'N',
      disallowReauthentication: false,
      pendingTime: instance.pendingTime,
      createdAt: START,
      updatedAt: START + DAY,
      expiresAt: START + 33 * DAY,
      accountId: '111111111111',
      region: 'us-east-1',
    });
  });

  it('lasts as long as the longest of mount and role', async () => {
    const test = createTestMethod({ options: { maxTtlSeconds: 3600, defaultTtlSeconds: 60 } });
    const instance = test.cloud.launchInstance();
    await test.putRole({ token: tokenParameters({ maxTtlSeconds: 7200 }) });
    await test.login(instance);
    expect((await test.entry(instance.instanceId))?.expiresAt).toBe(START + 7_200_000);
  });

  it.each([
    ['a nonce', {}, 'nonce_mismatch'],
    ['no login again', { disallowReauthentication: true, clientNonce: '' }, 'reauthentication_disabled'],
  ])('W3: holds past its expiration, whatever is old enough to be presented: %s (ACCESS-5)', async (_n, kept, code) => {
    const { instance, login, putEntry, clock } = await world();
    await putEntry('i-1', { role: 'q', expiresAt: START + 1000, ...kept });
    for (const days of [0, 33, 330]) {
      clock.advance(days * DAY);
      expect(await codeOf(login(instance, { nonce: 'another' }))).toBe(code);
      expect(await codeOf(login(instance))).toBe(code);
    }
  });

  it('W3: is tidied once its instance is gone, not before', async () => {
    const { instance, login, host, method, entry, clock } = await world();
    await login(instance, { nonce: 'N' });
    clock.advance(400 * DAY);
    await host('tidy.identity-accesslist');
    await method.settled();
    expect(await codeOf(login(instance, { nonce: 'another' }))).toBe('nonce_mismatch');
    instance.terminate();
    await host('tidy.identity-accesslist');
    await method.settled();
    expect(await entry('i-1')).toBeUndefined();
  });

  it('deleted lets any nonce start afresh (ACCESS-4)', async () => {
    const { instance, login, method } = await world({ disallowReauthentication: true });
    await login(instance, { nonce: 'N' });
    expect(await codeOf(login(instance, { nonce: 'N' }))).toBe('reauthentication_disabled');
    const params = { instance_id: 'i-1' };
    await method.handleAsHost({
      operation: 'access-list.delete',
      params,
      fields: {},
      requestId: 'x',
      peerAddress: undefined,
    });
    await login(instance, { nonce: 'other' });
  });
});
