/** What Vault's clients ask before anything else: where what is served hangs (WIRE-31). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod } from '../../test/create-test-method.js';

async function world(mountPath?: string) {
  const test = createTestMethod({ options: mountPath === undefined ? {} : { mountPath } });
  await test.putRole({});
  const { client_token: token } = await test.login(test.cloud.launchInstance());
  const root = await test.method.createRootToken();
  const ask = async (operation: string, params = {}, as = root) =>
    (await test.call(operation, { params, token: as })).data;
  return { token, ask };
}

describe('mounts', () => {
  it('are told to those who may know', async () => {
    const { ask, token } = await world();
    expect(await ask('mounts.auth')).toMatchObject({ 'cloud/': { type: 'aws' }, 'token/': { type: 'token' } });
    expect(await ask('mounts.read')).toMatchObject({ 'sys/': { type: 'system' } });
    expect(await codeOf(ask('mounts.auth', {}, token))).toBe('permission_denied');
    expect(await codeOf(ask('mounts.read', {}, token))).toBe('permission_denied');
  });

  it('are told to any token, all or by a path', async () => {
    const { ask, token } = await world('auth/aws-west');
    expect(await ask('mounts.ui', {}, token)).toMatchObject({
      auth: { 'aws-west/': {}, 'token/': {} },
      secret: { 'sys/': {} },
    });
    for (const path of ['auth/aws-west', 'auth/aws-west/', 'auth/aws-west/role/x']) {
      expect(await ask('mounts.ui-path', { path }, token)).toMatchObject({ path: 'auth/aws-west/', type: 'aws' });
    }
    for (const path of ['auth/aws', 'secret/x', 'auth']) {
      expect(await codeOf(ask('mounts.ui-path', { path }, token))).toBe('permission_denied');
    }
  });
});
