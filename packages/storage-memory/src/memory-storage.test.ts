import type { Storage } from '@postern/ports';
import { storageContract } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from './memory-storage.js';

describe('memory storage keeps the storage contract', () => {
  const create = async () => {
    const storage = createMemoryStorage();
    return { storage, destroy: () => storage.close() };
  };
  // One instance holds the data, so both handles are that instance.
  const openAnother = async ({ storage }: { readonly storage: Storage }) => storage;
  it.each(storageContract({ durable: false, create, openAnother }))('$name', ({ run }) => run());
});

describe('memory storage', () => {
  it('returns frozen records', async () => {
    const storage = createMemoryStorage();
    await storage.commit([{ type: 'put', key: 'k', value: 'v', if: 'absent' }]);
    const record = await storage.get('k');
    expect(record).toBeDefined();
    expect(Object.isFrozen(record)).toBe(true);
  });

  it('answers pages of 50,000 records at a cost of the page, not of the records', async () => {
    const storage = createMemoryStorage();
    const keyOf = (index: number) => `p/${String((index * 7919) % 50_000).padStart(6, '0')}`;
    for (let start = 0; start < 50_000; start += 25) {
      await storage.commit(
        Array.from({ length: 25 }, (_, offset) => {
          return { type: 'put', key: keyOf(start + offset), value: 'v', expiresAt: start + offset, if: 'absent' };
        }),
      );
    }
    const started = performance.now();
    for (let count = 0; count < 250; count += 1) {
      const page = await storage.listExpired('p/', 3, { limit: 1000 });
      expect(page.items.map(({ key }) => key)).toEqual([keyOf(0), keyOf(1), keyOf(2)]);
      expect((await storage.list('p/', { after: 'p/023455', limit: 2 })).items[0]?.key).toBe('p/023456');
    }
    // Sorting the records at each of these 500 calls would take twenty seconds.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
