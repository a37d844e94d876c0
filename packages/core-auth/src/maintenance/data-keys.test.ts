/** What a copy of the database is worth, and data keys rotated and rewrapped while serving (STORE-4, STORE-7). */

import { createNodeCrypto } from '@postern/crypto-node';
import { createKeyWrapper, decodeBase64Url, encodeBase64Url, encodeUtf8 } from '@postern/kernel';
import { type KeyWrapper, ProviderError, type Storage } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, type TestMethod, tokenParameters } from '../../test/create-test-method.js';
import { UNSEALED_WARNING } from '../auth-method.js';
import { createProviderConfiguration } from '../provider-configuration.js';

const crypto = createNodeCrypto();
const wrapperOf = (id: string, byte: number) => createKeyWrapper(crypto, { id, key: new Uint8Array(32).fill(byte) });
const ONE = wrapperOf('one', 1);
const TWO = wrapperOf('two', 2);

const methodWith = (keyWrapper: KeyWrapper | readonly KeyWrapper[], beside?: TestMethod) =>
  createTestMethod({ ports: () => ({ keyWrapper }), ...(beside === undefined ? {} : { beside }) });

const SECRET_KEY = 'canary-secret-key';

/** Uses every kind of secret once. @returns the batch token. */
async function useAll(test: TestMethod): Promise<string> {
  await test.host('config.client.write', {}, { access_key: 'AKIAEXAMPLE', secret_key: SECRET_KEY });
  await test.host('role.write', { role: 'r' }, { auth_type: 'ec2', bound_ami_id: 'ami-*', role_tag: 'gate' });
  await test.putRole({ name: 'b', token: tokenParameters({ type: 'batch', ttlSeconds: 3600, policies: ['dev'] }) });
  const auth = await test.login(test.cloud.launchInstance(), { role: 'b' });
  return auth.client_token;
}

/** Secrets as the method itself reads them. */
async function secretsOf(test: TestMethod): Promise<readonly string[]> {
  const { roles, batchKeys, auditKeys, clientConfig } = test.context.collections;
  const [role, ring, audit, client] = await Promise.all([
    roles.get('r'),
    batchKeys.get('ring'),
    auditKeys.get('key'),
    clientConfig.get('client'),
  ]);
  const keys = ring?.value.keys.map(({ key }) => key) ?? [];
  const all = [role?.value.hmacKey, audit?.value.key, client?.value.secretKey, ...keys];
  return all.filter((secret) => secret !== undefined);
}

async function dump(storage: Storage): Promise<string> {
  return JSON.stringify((await storage.list('', { limit: 1000, values: true })).items);
}

describe('V2: a copy of the database', () => {
  it('holds no credential and no key', async () => {
    const test = methodWith(ONE);
    await useAll(test);
    const secrets = await secretsOf(test);
    expect(secrets).toHaveLength(4);
    expect(secrets).toContain(SECRET_KEY);
    const copy = await dump(test.memory);
    for (const secret of secrets) {
      expect(copy).not.toContain(secret);
      const bytes = decodeBase64Url(secret);
      if (bytes !== undefined) expect(copy).not.toContain(Buffer.from(bytes).toString('hex'));
    }
  });

  it('without sealing holds them all: the test above can fail', async () => {
    const test = createTestMethod();
    await useAll(test);
    const copy = await dump(test.memory);
    for (const secret of await secretsOf(test)) expect(copy).toContain(secret);
    expect(await test.method.warnings()).toContain(UNSEALED_WARNING);
    expect(await methodWith(ONE).method.warnings()).not.toContain(UNSEALED_WARNING);
  });

  it('gives no token: what it shows of the batch keys seals nothing that opens', async () => {
    const test = methodWith(ONE);
    const token = await useAll(test);
    expect(await codeOf(test.call('token.lookup-self', { token }))).toBe('allowed');
    const stolen = JSON.parse((await test.memory.get('postern/auth/batch-keys/ring'))?.value ?? '');
    const genuine = decodeBase64Url(token.slice('pst_b_'.length)) ?? new Uint8Array();
    const headerLength = 11 + ((genuine[9] ?? 0) << 8) + (genuine[10] ?? 0);
    const header = genuine.subarray(0, headerLength);
    const claims = { policies: ['admin'], expiresAt: test.clock.now() + 9e6, roleId: 'x' };
    const [, sealedText] = stolen.keys[0].key.sealed.split('.');
    const guesses = [stolen.keys[0].key.sealed, sealedText].map((text) => {
      const bytes = new Uint8Array(32);
      bytes.set((decodeBase64Url(text) ?? encodeUtf8(text)).subarray(0, 32));
      return bytes;
    });
    for (const key of guesses) {
      const nonce = crypto.bytes(12);
      const data = new Uint8Array([...encodeUtf8('postern-batch-token\0'), ...header]);
      const sealed = crypto.seal(key, nonce, encodeUtf8(JSON.stringify(claims)), data);
      const forged = `pst_b_${encodeBase64Url(new Uint8Array([...header, ...nonce, ...sealed]))}`;
      expect(await codeOf(test.call('token.lookup-self', { token: forged }))).toBe('permission_denied');
    }
  });

  it('is of no use to a method with another key: nothing is taken for something else', async () => {
    const test = methodWith(ONE);
    const token = await useAll(test);
    const thief = methodWith(TWO, test);
    expect(await codeOf(thief.login(test.cloud.launchInstance(), { role: 'b' }))).toBe('sealed_unreadable');
    expect(await codeOf(thief.call('token.lookup-self', { token }))).toBe('sealed_unreadable');
    const plain = createTestMethod({ beside: test });
    expect(await codeOf(plain.host('config.client.read'))).toBe('sealed_unreadable');
    await expect(createProviderConfiguration(test.memory).clientConfig()).rejects.toMatchObject({
      code: 'sealed_unreadable',
    });
  });

  it('is read by the provider that has the key', async () => {
    const test = methodWith(ONE);
    await useAll(test);
    const configuration = createProviderConfiguration(test.memory, undefined, { crypto, keyWrapper: ONE });
    expect(await configuration.clientConfig()).toMatchObject({ secretKey: SECRET_KEY });
  });
});

describe('data keys', () => {
  it('are shown by id and wrapper, and nothing of the key', async () => {
    const test = methodWith(ONE);
    expect((await test.host('data-keys.read')).data).toEqual({ sealing: true, keys: [] });
    await useAll(test);
    expect((await test.host('data-keys.read')).data).toEqual({
      sealing: true,
      keys: [{ id: expect.stringMatching(/^[0-9a-f]{16}$/), wrapper: 'one' }],
    });
  });

  it('rotate: the next write seals with the new one, rewrap seals all, and every secret stays what it was', async () => {
    const test = methodWith(ONE);
    const token = await useAll(test);
    const before = await secretsOf(test);
    expect((await test.host('data-keys.rotate')).data).toEqual({ keys: 2 });
    expect((await test.host('data-keys.rewrap')).data).toEqual({
      rewrapped: 0,
      resealed: 5,
      examined: 5,
      total: null,
      next: null,
    });
    expect((await test.host('data-keys.rewrap')).data).toEqual({
      rewrapped: 0,
      resealed: 0,
      examined: 5,
      total: null,
      next: null,
    });
    const [, current] = await test.context.sealer.list();
    for (const key of ['roles/r', 'roles/b', 'config/client', 'batch-keys/ring', 'audit/key']) {
      expect((await test.memory.get(`postern/auth/${key}`))?.value).toContain(`{"sealed":"${current?.id}.`);
    }
    expect(await secretsOf(methodWith(ONE, test))).toEqual(before);
    expect(await codeOf(test.call('token.lookup-self', { token }))).toBe('allowed');
    expect(test.events.filter(({ operation }) => operation === 'data-keys.rewrap').at(-1)).toMatchObject({
      operation: 'data-keys.rewrap',
      details: { resealed: '0' },
    });
  });

  it('rewrap moves a plain database under a key, and from one key to another, while it serves', async () => {
    const plain = createTestMethod();
    const token = await useAll(plain);
    const before = await secretsOf(plain);
    const sealing = methodWith(ONE, plain);
    expect((await sealing.host('data-keys.rewrap')).data).toMatchObject({ resealed: 5 });
    for (const secret of before) expect(await dump(plain.memory)).not.toContain(secret);
    const moving = methodWith([TWO, ONE], plain);
    expect((await moving.host('data-keys.rewrap')).data).toEqual({
      rewrapped: 1,
      resealed: 0,
      examined: 5,
      total: null,
      next: null,
    });
    const moved = methodWith(TWO, plain);
    expect(await secretsOf(moved)).toEqual(before);
    expect(await codeOf(moved.call('token.lookup-self', { token }))).toBe('allowed');
  });

  it('rewrap goes over more records than a commit takes, beside writes of the same', async () => {
    const plain = createTestMethod();
    for (let n = 0; n < 60; n += 1) await plain.putRole({ name: `r${n}`, hmacKey: `canary-${n}` });
    const test = methodWith(ONE, plain);
    const writes = Array.from({ length: 20 }, (_, n) =>
      test.host('role.write', { role: `r${n}` }, { token_policies: 'p' }),
    );
    const [rewrap] = await Promise.all([test.host('data-keys.rewrap'), ...writes]);
    expect(Number(rewrap.data?.['resealed'])).toBeGreaterThanOrEqual(40);
    expect(await dump(plain.memory)).not.toContain('canary');
    for (let n = 0; n < 60; n += 1) {
      expect((await test.context.collections.roles.get(`r${n}`))?.value.hmacKey).toBe(`canary-${n}`);
    }
  });

  it('rewrap goes on where the call before ended, a bounded number of records at a time', async () => {
    const plain = createTestMethod();
    for (let n = 0; n < 25; n += 1) await plain.putRole({ name: `r${n}`, hmacKey: `canary-${n}` });
    await useAll(plain);
    let told = 0;
    const options = { onRewrap: async () => (told += 1) };
    const test = createTestMethod({ ports: () => ({ keyWrapper: [TWO, ONE] }), options, beside: plain });
    let resealed = 0;
    let examined = 0;
    for (let after: unknown = ''; after !== null; ) {
      const { data } = await test.host('data-keys.rewrap', {}, { limit: 4, after });
      expect(data?.['examined']).toBeLessThanOrEqual(4);
      expect(data?.['total']).toBe(after === '' ? 30 : null);
      expect(told).toBe(data?.['next'] === null ? 1 : 0);
      resealed += Number(data?.['resealed']);
      examined += Number(data?.['examined']);
      after = data?.['next'];
    }
    // Client, batch keys, audit key, 27 roles; the host's own.
    expect([examined, resealed]).toEqual([30, 31]);
    expect(await dump(plain.memory)).not.toContain('canary');
    for (const after of ['tokens/x', `roles/${'x'.repeat(507)}`, 'roles/\ud800']) {
      expect(await codeOf(test.host('data-keys.rewrap', {}, { after }))).toBe('field_invalid');
    }
  });

  it('rewrap tells the host, which seals what it keeps itself', async () => {
    const test = createTestMethod({ ports: () => ({ keyWrapper: ONE }), options: { onRewrap: async () => 3 } });
    expect((await test.host('data-keys.rewrap')).data).toEqual({
      rewrapped: 0,
      resealed: 3,
      examined: 1,
      total: null,
      next: null,
    });
  });

  it('are neither rotated nor rewrapped where nothing is sealed', async () => {
    const test = createTestMethod();
    expect((await test.host('data-keys.read')).data).toEqual({ sealing: false, keys: [] });
    expect(await codeOf(test.host('data-keys.rotate'))).toBe('sealing_not_configured');
    expect(await codeOf(test.host('data-keys.rewrap'))).toBe('sealing_not_configured');
  });

  it.each([
    ['unavailable', 'key_wrapper_unavailable'],
    ['denied', 'key_wrapper_misconfigured'],
    ['misconfigured', 'key_wrapper_misconfigured'],
  ] as const)('a wrapper that is %s fails the call with %s', async (code, expected) => {
    const failing: KeyWrapper = {
      id: 'one',
      wrap: () => Promise.reject(new ProviderError(code, 'KMS')),
      unwrap: () => Promise.reject(new ProviderError(code, 'KMS')),
    };
    const test = methodWith(failing);
    expect(await codeOf(test.host('role.write', { role: 'r' }, { auth_type: 'ec2', bound_ami_id: 'ami-1' }))).toBe(
      expected,
    );
    expect(await test.memory.get('postern/auth/roles/r')).toBeUndefined();
    await methodWith(ONE, test).putRole();
    await useAll(methodWith(ONE, test));
    expect(await codeOf(methodWith(failing, test).host('role.read', { role: 'r' }))).toBe(expected);
  });
});
