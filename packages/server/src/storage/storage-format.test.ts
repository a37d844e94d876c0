/** The record format of a cluster during a rolling upgrade (STORE-5). */
import { RECORD_FORMAT } from '@postern/kernel';
import type { Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Log } from '../log.js';
import { StartError } from '../start-error.js';
import { finalizeStorageFormat, openStorageFormat } from './storage-format.js';

const KEY = 'postern/server/storage-format';
const noLog: Log = () => undefined;

const put = (storage: Storage, key: string, value: string) => storage.commit([{ type: 'put', key, value, if: 'any' }]);

async function createOldDatabase(): Promise<Storage> {
  const storage = createMemoryStorage();
  await put(storage, 'postern/auth/roles/r', '{}');
  return storage;
}

afterEach(() => vi.useRealTimers());

describe('the storage format', () => {
  it('O3: of a new database is the newest, for every node', async () => {
    const storage = createMemoryStorage();
    const nodes = await Promise.all([1, 2, 3].map(() => openStorageFormat(storage)));
    expect(nodes.map((node) => node.current())).toEqual([RECORD_FORMAT, RECORD_FORMAT, RECORD_FORMAT]);
    expect((await openStorageFormat(storage)).current()).toBe(RECORD_FORMAT);
  });

  it('O3: of a database of an older version stays what that reads until it is finalized', async () => {
    const storage = await createOldDatabase();
    expect((await openStorageFormat(storage)).current()).toBe(1);
    expect((await openStorageFormat(storage)).current()).toBe(1);
    expect(await finalizeStorageFormat(storage)).toBe(RECORD_FORMAT);
    expect((await openStorageFormat(storage)).current()).toBe(RECORD_FORMAT);
    expect(await finalizeStorageFormat(storage)).toBe(RECORD_FORMAT);
  });

  it('O3: is followed by a node that runs', async () => {
    vi.useFakeTimers();
    const storage = await createOldDatabase();
    const node = await openStorageFormat(storage);
    node.watch(noLog);
    await finalizeStorageFormat(storage);
    expect(node.current()).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(node.current()).toBe(RECORD_FORMAT);
    expect(node.refusal()).toBeUndefined();
    node.stop();
  });

  it('O3: that is newer than this version stops the start, and finalizing', async () => {
    const storage = createMemoryStorage();
    await put(storage, KEY, `{"finalized":${RECORD_FORMAT + 1},"v":1}`);
    await expect(openStorageFormat(storage)).rejects.toThrow(StartError);
    await expect(openStorageFormat(storage)).rejects.toThrow(/format 3.*up to 2.*\n.*newer/);
    await expect(finalizeStorageFormat(storage)).rejects.toThrow(StartError);
  });

  it('O3: that rises above this version while it runs is logged, not written, and no longer ready', async () => {
    vi.useFakeTimers();
    const storage = createMemoryStorage();
    const node = await openStorageFormat(storage);
    const logged: string[] = [];
    node.watch((level) => logged.push(level));
    await put(storage, KEY, `{"finalized":${RECORD_FORMAT + 1},"v":1}`);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(node.current()).toBe(RECORD_FORMAT);
    expect(logged).toEqual(['error']);
    expect(node.refusal()).toEqual(['record_newer', expect.stringContaining('upgrade this server')]);
    node.stop();
  });

  it.each(['{', '{"finalized":0}', '{"finalized":2,"minimum":1}'])(
    'stops the start where its record is %s',
    async (value) => {
      const storage = createMemoryStorage();
      await put(storage, KEY, value);
      await expect(openStorageFormat(storage)).rejects.toThrow(StartError);
    },
  );
});
