/** Options with their defaults, and where things are kept (TOKEN-2). */
import { createMemoryStorage } from '@postern/storage-memory';
import { describe, expect, it } from 'vitest';
import { createTestMethod } from '../test/create-test-method.js';
import { createMethodContext } from './method-context.js';
import type { AuthOptions } from './options.js';

const ports = { ...createTestMethod().inside.ports, storage: createMemoryStorage() };
const HOUR = 3600;

describe('options', () => {
  it('have defaults', () => {
    expect(createMethodContext(ports).options).toMatchObject({
      mountPath: 'auth/cloud',
      storagePrefix: 'postern/auth/',
      defaultTtlSeconds: 768 * HOUR,
      maxTtlSeconds: 768 * HOUR,
      allowSha1Signatures: false,
      builtInCertificates: undefined,
    });
  });

  it('leave the default lifetime within a lower maximum', () => {
    expect(createMethodContext(ports, { maxTtlSeconds: HOUR }).options.defaultTtlSeconds).toBe(HOUR);
    expect(createMethodContext(ports, { maxTtlSeconds: 900 * HOUR }).options.defaultTtlSeconds).toBe(768 * HOUR);
  });

  it.each<[AuthOptions]>([
    [{ mountPath: '' }],
    [{ mountPath: '/auth' }],
    [{ mountPath: 'auth/' }],
    [{ mountPath: 'a//b' }],
    [{ mountPath: 'a/b?c' }],
    [{ storagePrefix: 'postern' }],
    [{ storagePrefix: '' }],
    [{ defaultTtlSeconds: 0 }],
    [{ maxTtlSeconds: -1 }],
    [{ maxTtlSeconds: 1.5 }],
    [{ maxTtlSeconds: Number.NaN }],
    [{ defaultTtlSeconds: 2, maxTtlSeconds: 1 }],
  ])('that are invalid are a TypeError: %j', (options) => {
    expect(() => createMethodContext(ports, options)).toThrow(TypeError);
  });
});

describe('collections', () => {
  it('hang below the prefix, each in a place of its own but the two singletons', () => {
    const { collections } = createMethodContext(ports, { storagePrefix: 'x/' });
    const prefixes = Object.values(collections).map(({ prefix }) => prefix);
    expect(prefixes.every((prefix) => /^x\/[a-z-]+\/$/.test(prefix))).toBe(true);
    expect(new Set(prefixes).size).toBe(prefixes.length - 1);
    expect(collections.clientConfig.prefix).toBe(collections.identityConfig.prefix);
  });

  it('under two prefixes of one storage know nothing of each other', async () => {
    const one = createMethodContext(ports, { storagePrefix: 'one/' }).collections.stsAssociations;
    const two = createMethodContext(ports, { storagePrefix: 'two/' }).collections.stsAssociations;
    await ports.storage.commit([one.put('a', { stsRole: 'r', externalId: '' }, 'absent')]);
    expect(await one.allIds()).toEqual(['a']);
    expect(await two.allIds()).toEqual([]);
  });
});
