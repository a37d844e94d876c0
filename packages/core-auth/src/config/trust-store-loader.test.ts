/** Which certificates a login trusts: registration counts at once, in every process (CERT-5). */
import type { Storage } from '@postern/ports';
import { createFakeCloud } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { pemOf, registered, SIGNED_WITH } from '../../test/certificates.js';
import { codeOf, createTestMethod } from '../../test/create-test-method.js';
import { UNSEALED_WARNING } from '../auth-method.js';
import { createTrustStoreLoader } from './trust-store-loader.js';

/** @param around is called for each read of one key, or of the keys under a prefix, which ends with a slash. */
function withReads(inner: Storage, around: <T>(key: string, read: () => Promise<T>) => Promise<T>): Storage {
  return {
    get: (key, options) => around(key, () => inner.get(key, options)),
    getMany: (keys, options) => around(keys.join(), () => inner.getMany(keys, options)),
    list: (prefix, query, options) => around(prefix, () => inner.list(prefix, query, options)),
    listExpired: inner.listExpired.bind(inner),
    readLog: inner.readLog.bind(inner),
    removeFromLog: inner.removeFromLog.bind(inner),
    commit: inner.commit.bind(inner),
    close: inner.close.bind(inner),
  };
}

describe('the trusted certificates', () => {
  it('are the built-in ones and those registered, as they stand', async () => {
    const first = createTestMethod({ options: { builtInCertificates: [] } });
    const second = createTestMethod({ beside: first, options: { builtInCertificates: [] } });
    const instance = first.cloud.launchInstance();
    await first.putRole();
    expect(await codeOf(second.login(instance, { nonce: 'N' }))).toBe('evidence_unverified');

    const { pkcs7Rsa2048 } = first.cloud.certificates();
    await first.host('config.certificate.write', { cert_name: 'mine' }, { cloud_public_cert: pkcs7Rsa2048 });
    await second.login(instance, { nonce: 'N' });
    expect(second.events.at(-1)?.details).toMatchObject({ certificate: 'mine' });

    await first.host('config.certificate.delete', { cert_name: 'mine' });
    expect(await codeOf(second.login(instance, { nonce: 'N' }))).toBe('evidence_unverified');
  });

  it('are indexed anew only when they change', async () => {
    const { context, host, cloud } = createTestMethod();
    const load = createTrustStoreLoader(context);
    const empty = await load();
    expect(await load()).toBe(empty);
    await host(
      'config.certificate.write',
      { cert_name: 'a' },
      { cloud_public_cert: cloud.certificates().pkcs7Rsa2048 },
    );
    const one = await load();
    expect(one).not.toBe(empty);
    expect(await load()).toBe(one);
    await host(
      'config.certificate.write',
      { cert_name: 'a' },
      { cloud_public_cert: cloud.certificates().identityRsa, type: 'identity' },
    );
    expect(await load()).not.toBe(one);
  });

  it('cost a login one read where none was written since', async () => {
    const asked: string[] = [];
    const { context, host, cloud } = createTestMethod({
      storage: (inner) =>
        withReads(inner, async (key, read) => {
          asked.push(key);
          return read();
        }),
    });
    const { pkcs7Rsa2048 } = cloud.certificates();
    const load = createTrustStoreLoader(context);
    await load();
    await host('config.certificate.write', { cert_name: 'a' }, { cloud_public_cert: pkcs7Rsa2048 });
    await load();
    asked.length = 0;
    await load();
    expect(asked).toHaveLength(1);
  });

  it('count however a write of one falls among the reads of another process', async () => {
    const first = createTestMethod();
    const { pkcs7Rsa2048 } = first.cloud.certificates();
    let onList: (() => Promise<unknown>) | undefined;
    const second = createTestMethod({
      beside: first,
      storage: (inner) =>
        withReads(inner, async (key, read) => {
          const answer = await read();
          if (!key.endsWith('/')) return answer;
          const task = onList;
          onList = undefined;
          await task?.();
          return answer;
        }),
    });
    const load = createTrustStoreLoader(second.context);
    const named = async () => (await load()).certificates.flatMap(({ name }) => name ?? []);
    onList = () => first.host('config.certificate.write', { cert_name: 'late' }, { cloud_public_cert: pkcs7Rsa2048 });
    expect(await named()).toEqual([]);
    expect(await named()).toEqual(['late']);
    onList = () => first.host('config.certificate.delete', { cert_name: 'late' });
    await first.host('config.certificate.write', { cert_name: 'other' }, { cloud_public_cert: pkcs7Rsa2048 });
    expect(await named()).toEqual(['late', 'other']);
    expect(await named()).toEqual(['other']);
  });

  it('that cannot be read are left out; the others stay trusted', async () => {
    const { context, inside, memory, cloud, login, putRole } = createTestMethod();
    await memory.commit([inside.collections.certificates.put('bad', { pem: 'nonsense', type: 'pkcs7' }, 'any')]);
    const store = await createTrustStoreLoader(context)();
    expect(store.certificates.some(({ name }) => name === 'bad')).toBe(false);
    await putRole();
    await login(cloud.launchInstance());
  });

  it.each([
    ['no PEM', { pem: 'nothing', type: 'pkcs7' } as const],
    ['no regions', { pem: registered({}).pem, type: 'pkcs7', regions: [] } as const],
  ])('of the options that have %s are a TypeError when the method is made', (_, source) => {
    expect(() => createTestMethod({ options: { builtInCertificates: [source] } })).toThrow(TypeError);
  });

  it('of the options that are PEM but not X.509 fail every login and trust nothing', async () => {
    const builtInCertificates = [{ pem: pemOf(Uint8Array.of(48, 0)), type: 'pkcs7' as const }];
    const { cloud, context, login, putRole } = createTestMethod({ options: { builtInCertificates } });
    await putRole();
    const load = createTrustStoreLoader(context);
    await expect(load()).rejects.toThrow(TypeError);
    await expect(load()).rejects.toThrow(TypeError);
    expect(await codeOf(login(cloud.launchInstance()))).toBe('internal');
  });

  it('warn of their expiry', async () => {
    const { method, clock, cloud } = createTestMethod();
    expect(await method.warnings()).toEqual([UNSEALED_WARNING]);
    const soon = clock.now() + 10 * 86_400_000;
    const pem = createFakeCloud({ clock }).issueCertificate({
      kind: 'pkcs7-rsa2048',
      notAfter: soon,
      notBefore: clock.now(),
    });
    const options = { builtInCertificates: [{ pem, type: 'pkcs7' as const, regions: [cloud.region] }] };
    const test = createTestMethod({ options });
    await test.host('config.certificate.write', { cert_name: 'mine' }, { cloud_public_cert: pem });
    const warnings = await test.method.warnings();
    expect(warnings).toHaveLength(3);
    expect(warnings.join('\n')).toContain('2026-12-01');
    test.clock.advance(11 * 86_400_000);
    expect((await test.method.warnings()).join('\n')).toContain('expired');
    await test.memory.close();
    expect(await codeOf(test.method.warnings())).toBe('storage_unavailable');
  });

  it.each([
    [false, ['the certificate weak (identity) verifies nothing: it is signed with SHA-1, which is not allowed here']],
    [true, []],
  ])('warn of one that verifies nothing, SHA-1 allowed: %s', async (allowSha1Signatures, warnings) => {
    const { method, memory, inside } = createTestMethod({ options: { allowSha1Signatures, builtInCertificates: [] } });
    const { pem } = registered({ signedWith: SIGNED_WITH.sha1Rsa }, 'identity', 'weak');
    await memory.commit([inside.collections.certificates.put('weak', { pem, type: 'identity' }, 'any')]);
    expect(await method.warnings()).toEqual([UNSEALED_WARNING, ...warnings]);
  });
});
