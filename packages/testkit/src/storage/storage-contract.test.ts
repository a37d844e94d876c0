/** The contract itself: adapters that are broken on purpose fail, and name what they break. */
import { type Storage, StorageError } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { describe, expect, it } from 'vitest';
import { type StorageUnderTest, storageContract } from './storage-contract.js';

/** The messages of the cases that fail, by the cases' names. */
async function failuresOf(
  create: () => StorageUnderTest,
  openAnother?: (first: StorageUnderTest) => Promise<Storage>,
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  const options = { durable: false, create: async () => create(), ...(openAnother && { openAnother }) };
  for (const { name, run } of storageContract(options)) {
    await run().catch((error: unknown) => failures.set(name, String(error)));
  }
  return failures;
}

const changed = (inner: Storage, changes: Partial<Storage>): Storage => ({
  get: (key, options) => inner.get(key, options),
  getMany: (keys, options) => inner.getMany(keys, options),
  list: (prefix, query, options) => inner.list(prefix, query, options),
  listExpired: (prefix, before, query, options) => inner.listExpired(prefix, before, query, options),
  readLog: (log, query, options) => inner.readLog(log, query, options),
  removeFromLog: (log, positions, options) => inner.removeFromLog(log, positions, options),
  commit: (operations, options) => inner.commit(operations, options),
  close: () => inner.close(),
  ...changes,
});

const underTest = (storage: Storage): StorageUnderTest => ({ storage, destroy: () => storage.close() });

describe('storageContract', () => {
  it('fails a storage whose conditional commits never succeed, instead of hanging', async () => {
    const failures = await failuresOf(() => {
      const inner = createMemoryStorage();
      const commit: Storage['commit'] = async (operations, options) => {
        const keys = operations.flatMap((one) =>
          one.type !== 'append' && typeof one.if === 'object' ? [one.key] : [],
        );
        if (keys.length > 0) throw new StorageError('conflict', 'A precondition failed.', { keys });
        return inner.commit(operations, options);
      };
      return underTest(changed(inner, { commit }));
    });
    const [name] = [...failures.keys()].filter((each) => each.includes('compare-and-set'));
    expect(failures.get(name ?? '')).toContain('the increment of count conflicted 100 times');
  });

  it('fails a storage whose commits never succeed, instead of hanging', async () => {
    const commit: Storage['commit'] = async (operations) => {
      throw new StorageError('conflict', 'A precondition failed.', {
        keys: operations.flatMap((one) => (one.type === 'append' ? [] : [one.key])),
      });
    };
    const failures = await failuresOf(() => underTest(changed(createMemoryStorage(), { commit })));
    expect([...failures.keys()].filter((name) => name.startsWith('concurrency'))).toHaveLength(4);
    expect([...failures.keys()].filter((name) => name.startsWith('atomicity: a move'))).toHaveLength(1);
  });

  it('fails a storage whose pages never end, instead of hanging', async () => {
    const failures = await failuresOf(() => {
      const inner = createMemoryStorage();
      const list: Storage['list'] = async (prefix, query, options) => {
        const page = await inner.list(prefix, { ...query, after: undefined }, options);
        return { items: page.items, next: page.items.at(-1)?.key };
      };
      return underTest(changed(inner, { list }));
    });
    const walks = [...failures.values()].filter((message) => message.includes('the walk did not end'));
    expect(walks.length).toBeGreaterThan(2);
  });

  it('fails a storage that keeps its records per process in exactly the cases about two handles', async () => {
    const failures = await failuresOf(
      () => underTest(createMemoryStorage()),
      async () => createMemoryStorage(),
    );
    expect([...failures.keys()].map((name) => name.split(':')[0])).toEqual(Array(4).fill('two handles'));
  });

  it('fails a storage that caches what a process has read', async () => {
    const cached = (inner: Storage) => {
      const cache = new Map<string, ReturnType<Storage['get']>>();
      const get: Storage['get'] = (key, options) => {
        const answer = cache.get(key) ?? inner.get(key, options);
        cache.set(key, answer);
        return answer;
      };
      return changed(inner, { get, close: async () => undefined });
    };
    const failures = await failuresOf(
      () => underTest(createMemoryStorage()),
      async ({ storage }) => cached(storage),
    );
    expect([...failures.keys()]).toEqual([
      'two handles: a put and a delete through one are seen at once by every read through the other',
    ]);
  });
});
