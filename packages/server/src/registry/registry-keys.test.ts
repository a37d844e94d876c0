/** The registry's keys: made once, the same for all, told to nobody. */
import { createNodeCrypto } from '@postern/crypto-node';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { loadRegistryKeys } from './registry-keys.js';

const random = createNodeCrypto();

describe('the keys of a registry', () => {
  it('are made once, two that differ, and the same for every caller, concurrent ones included', async () => {
    const storage = createFaultStorage(createMemoryStorage(), { seed: 3, maxYields: 3 });
    const all = await Promise.all(Array.from({ length: 8 }, () => loadRegistryKeys(storage, random)));
    const [first] = all;
    for (const keys of all) expect(keys).toEqual(first);
    expect(first?.urlKey).toHaveLength(32);
    expect(first?.sessionKey).toHaveLength(32);
    expect(first?.urlKey).not.toEqual(first?.sessionKey);
    expect(await loadRegistryKeys(storage, random)).toEqual(first);
  });

  it('of another installation are others', async () => {
    const one = await loadRegistryKeys(createMemoryStorage(), random);
    expect((await loadRegistryKeys(createMemoryStorage(), random)).urlKey).not.toEqual(one.urlKey);
  });

  it.each(['', '{}', '{"urlKey":"c2hvcnQ","sessionKey":"c2hvcnQ"}', '{"urlKey":"%","sessionKey":1}'])(
    'that read %s are not made anew: addresses and sessions would end unseen',
    async (value) => {
      const storage = createMemoryStorage();
      await storage.commit([{ type: 'put', key: 'postern/server/registry-keys', value, if: 'absent' }]);
      const failed = await loadRegistryKeys(storage, random).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(Error);
      expect(String(failed)).not.toContain('c2hvcnQ');
      expect((await storage.get('postern/server/registry-keys'))?.value).toBe(value);
    },
  );

  it('cannot be had while storage fails', async () => {
    const storage = createFaultStorage(createMemoryStorage());
    storage.failNextRead('unavailable');
    await expect(loadRegistryKeys(storage, random)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
