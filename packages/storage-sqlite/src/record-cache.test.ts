/** What is remembered of records that were read: never anything but what the file holds, and never much. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Storage, StoredRecord } from '@postern/ports';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../test/temporary-folder.js';
import { loadSqliteDriver } from './driver.js';
import { RecordCache } from './record-cache.js';
import { openSqliteStorage } from './sqlite-storage.js';

const record = (key: string, value = 'v'): StoredRecord => ({ key, value, version: '1', expiresAt: undefined });

describe('a record cache', () => {
  it('asks once for a record, and once for an absence', () => {
    const cache = new RecordCache();
    const ask = vi.fn((key: string) => (key === 'there' ? record(key) : undefined));
    for (let times = 0; times < 3; times += 1) {
      expect(cache.read('there', ask)).toEqual(record('there'));
      expect(cache.read('absent', ask)).toBeUndefined();
    }
    expect(ask.mock.calls).toEqual([['there'], ['absent']]);
  });

  it('asks again for what it was told to forget', () => {
    const cache = new RecordCache();
    const ask = vi.fn(record);
    cache.read('a', (key) => ask(key));
    cache.read('b', (key) => ask(key));
    cache.forget('a');
    cache.forget('never-read');
    cache.read('a', (key) => ask(key));
    cache.read('b', (key) => ask(key));
    expect(ask).toHaveBeenCalledTimes(3);
    cache.forgetAll();
    cache.read('b', (key) => ask(key));
    expect(ask).toHaveBeenCalledTimes(4);
  });

  it('keeps what is used, and lets go of the rest by number and by size', () => {
    const cache = new RecordCache();
    const ask = vi.fn((key: string) => record(key, key.startsWith('large') ? 'x'.repeat(200_000) : 'v'));
    cache.read('used', ask);
    cache.read('unused', ask);
    for (let index = 0; index < 2_000; index += 1) {
      cache.read(`k${index}`, ask);
      cache.read('used', ask);
    }
    for (let index = 0; index < 40; index += 1) {
      cache.read(`large${index}`, ask);
      cache.read('used', ask);
    }
    const asked = (key: string) => ask.mock.calls.filter(([one]) => one === key).length;
    for (const key of ['used', 'unused', 'k0', 'large0', 'large39']) cache.read(key, ask);
    expect(['used', 'unused', 'k0', 'large0', 'large39'].map(asked)).toEqual([1, 2, 2, 2, 1]);
  });

  it('does not keep a record that would push out all others', () => {
    const cache = new RecordCache();
    const ask = vi.fn((key: string) => record(key, 'x'.repeat(300_000)));
    cache.read('huge', ask);
    cache.read('huge', ask);
    expect(ask).toHaveBeenCalledTimes(2);
  });
});

describe('a record that was read', () => {
  let folder: TemporaryFolder;
  let storage: Storage;

  beforeEach(async () => {
    folder = temporaryFolder();
    storage = await openSqliteStorage({ file: folder.path('postern.db') });
  });

  afterEach(async () => {
    await storage.close();
    folder.remove();
  });

  const textOf = async (key: string) => (await storage.get(key))?.value;

  it('is read anew after each put and delete of it', async () => {
    expect(await textOf('a')).toBeUndefined();
    await storage.commit([{ type: 'put', key: 'a', value: '1', if: 'absent' }]);
    expect(await textOf('a')).toBe('1');
    await storage.commit([{ type: 'put', key: 'a', value: '2', if: 'present' }]);
    expect(await textOf('a')).toBe('2');
    await storage.commit([{ type: 'delete', key: 'a', if: 'present' }]);
    expect(await textOf('a')).toBeUndefined();
  });

  it('cannot be changed by one reader for another', async () => {
    await storage.commit([{ type: 'put', key: 'a', value: '1', if: 'absent' }]);
    const read = await storage.get('a');
    expect(() => Object.assign(read ?? {}, { value: '2' })).toThrow(TypeError);
    expect(await textOf('a')).toBe('1');
  });

  it('changed by an operator’s shell counts in the next turn of the event loop', async () => {
    await storage.commit([{ type: 'put', key: 'a', value: '1', if: 'absent' }]);
    expect(await textOf('a')).toBe('1');
    const shell = (await loadSqliteDriver()).open(folder.path('postern.db'));
    shell.exec(`DELETE FROM records WHERE key = CAST('a' AS BLOB)`);
    shell.close();
    await nextTurn();
    expect(await textOf('a')).toBeUndefined();
  });

  it('is no ground for a commit once an operator’s shell changed it, in the same turn of the event loop too', async () => {
    const { versions } = await storage.commit([{ type: 'put', key: 'a', value: '1', if: 'absent' }]);
    const [version = ''] = versions;
    const shell = (await loadSqliteDriver()).open(folder.path('postern.db'));
    await nextTurn();
    expect(await textOf('a')).toBe('1');
    expect(await textOf('b')).toBeUndefined();
    shell.exec(`UPDATE records SET version = version + 1 WHERE key = CAST('a' AS BLOB)`);
    shell.exec(`INSERT INTO records (key, value, version) VALUES (CAST('b' AS BLOB), CAST('shell' AS BLOB), 1)`);
    shell.close();
    await expect(
      storage.commit([
        { type: 'check', key: 'a', if: { version } },
        { type: 'put', key: 'b', value: 'ours', if: 'absent' },
        { type: 'put', key: 'c', value: 'ours', if: 'absent' },
      ]),
    ).rejects.toMatchObject({ code: 'conflict', keys: ['a', 'b'] });
    expect([await textOf('b'), await textOf('c')]).toEqual(['shell', undefined]);
  });
});

describe('a commit that inserts records which nobody read', () => {
  it('applies nothing where one of them exists, and names it; others of its group are applied', async () => {
    const folder = temporaryFolder();
    const storage = await openSqliteStorage({ file: folder.path('postern.db') });
    const insert = (...keys: readonly string[]) =>
      storage.commit(keys.map((key) => ({ type: 'put', key, value: keys.join(), if: 'absent' }) as const));
    await insert('there');
    const outcomes = await Promise.allSettled([insert('a', 'there', 'b'), insert('b', 'c'), insert('c', 'd')]);
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.keys : 'applied'))).toEqual([
      ['there'],
      'applied',
      ['c'],
    ]);
    const records = await storage.getMany(['a', 'b', 'c', 'd', 'there']);
    expect(records.map((each) => each?.value)).toEqual([undefined, 'b,c', 'b,c', undefined, 'there']);
    await storage.close();
    folder.remove();
  });
});
