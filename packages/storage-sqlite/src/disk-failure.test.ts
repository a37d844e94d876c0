/** What a failing disk means to callers: nothing happened, or nobody knows; never a false success. */
import type { Storage } from '@postern/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFaultyDriver, type FaultyDriver } from '../test/faulty-driver.js';
import { type TemporaryFolder, temporaryFolder } from '../test/temporary-folder.js';
import { openSqliteStorage } from './sqlite-storage.js';

const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_IOERR_FSYNC = 10 + (4 << 8);

let folder: TemporaryFolder;
let driver: FaultyDriver;
let storage: Storage;
const open = () => openSqliteStorage({ file: folder.path('postern.db'), driver });

beforeEach(async () => {
  folder = temporaryFolder();
  driver = await createFaultyDriver();
  storage = await open();
});

afterEach(async () => {
  await storage.close();
  folder.remove();
});

const create = (key: string, value = 'v') => storage.commit([{ type: 'put', key, value, if: 'absent' }]);
const codeOf = (outcome: PromiseSettledResult<unknown> | undefined): unknown =>
  outcome?.status === 'rejected' ? outcome.reason.code : outcome?.status;

describe('a failing disk', () => {
  it('really full, answers `unavailable` to the whole group, applies nothing of it, and recovers', async () => {
    const { versions } = await create('before');
    driver.database().exec('PRAGMA max_page_count = 20');
    const group = await Promise.allSettled([create('small'), create('before'), create('big', 'x'.repeat(200_000))]);
    expect(group.map(codeOf)).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect((await storage.getMany(['before', 'small', 'big'])).map((record) => record?.version)).toEqual([
      versions[0],
      undefined,
      undefined,
    ]);
    driver.database().exec('PRAGMA max_page_count = 100000');
    expect(codeOf((await Promise.allSettled([create('big', 'x'.repeat(200_000))]))[0])).toBe('fulfilled');
  });

  it('full at the flush, answers `unavailable`: the page that would make the commit valid was not written', async () => {
    driver.failNextCommit(SQLITE_FULL, 'not_applied');
    await expect(create('a')).rejects.toMatchObject({ name: 'StorageError', code: 'unavailable' });
    expect(await storage.get('a')).toBeUndefined();
    await create('a');
  });

  it.each(['applied', 'not_applied'] as const)(
    'failing at the flush, answers `outcome_unknown` (%s)',
    async (effect) => {
      driver.failNextCommit(SQLITE_IOERR_FSYNC, effect);
      const group = await Promise.allSettled([create('a'), create('b')]);
      expect(group.map(codeOf)).toEqual(['outcome_unknown', 'outcome_unknown']);
      const records = await storage.getMany(['a', 'b']);
      expect(records.map((record) => record !== undefined)).toEqual(Array(2).fill(effect === 'applied'));
      await create('c');
    },
  );

  it('failing at the flush of the log, answers `outcome_unknown`, and writes nothing more before the log is whole', async () => {
    await create('before');
    driver.holdNextFlush(() => Promise.reject(new Error('EIO')));
    const group = await Promise.allSettled([create('a'), create('b')]);
    expect(group.map(codeOf)).toEqual(['outcome_unknown', 'outcome_unknown']);
    expect(driver.sql.filter((text) => text.includes('wal_checkpoint'))).toEqual([]);
    await create('c');
    expect(driver.sql.filter((text) => text.includes('wal_checkpoint'))).toEqual(['PRAGMA wal_checkpoint(TRUNCATE)']);
    expect((await storage.getMany(['before', 'a', 'b', 'c'])).every((record) => record !== undefined)).toBe(true);
    await create('d');
    expect(driver.sql.filter((text) => text.includes('wal_checkpoint'))).toHaveLength(1);
  });

  it('refuses commits for as long as the log cannot be made whole', async () => {
    await create('before');
    driver.holdNextFlush(() => Promise.reject(new Error('EIO')));
    await Promise.allSettled([create('a')]);
    const reader = driver.open(folder.path('postern.db'));
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM records').get();
    await expect(create('b')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await storage.get('before')).toBeDefined();
    reader.exec('ROLLBACK');
    reader.close();
    await create('b');
  });

  it('gives no version twice, even when the reservation of versions was rolled back', async () => {
    const seen: unknown[] = [];
    driver.failNextCommit(SQLITE_IOERR_FSYNC, 'not_applied');
    await Promise.allSettled([create('a')]);
    for (let turn = 0; turn < 3; turn += 1) {
      seen.push(...(await storage.commit([{ type: 'put', key: 'a', value: 'v', if: 'any' }])).versions);
      await storage.close();
      storage = await open();
    }
    expect(new Set(seen).size).toBe(3);
  });

  it('once damage is noticed, writes nothing more: neither what waits in the queue nor removals from a log', async () => {
    const { positions } = await storage.commit([{ type: 'append', log: 'audit', value: 'entry' }]);
    const before = driver.commits();
    driver.failNextCommit(SQLITE_CORRUPT, 'not_applied');
    // A group holds 512 operations: the last commit waits for the second group.
    const outcomes = await Promise.allSettled(Array.from({ length: 513 }, (_, at) => create(`key ${at}`)));
    expect(new Set(outcomes.slice(0, -1).map(codeOf))).toEqual(new Set(['outcome_unknown']));
    const refusal = {
      code: 'unavailable',
      fault: 'broken',
      message: 'the database is damaged; nothing was applied',
      cause: { errcode: SQLITE_CORRUPT },
    };
    expect(outcomes.at(-1)).toMatchObject({ status: 'rejected', reason: refusal });
    await expect(storage.removeFromLog('audit', positions)).rejects.toMatchObject(refusal);
    await expect(create('after')).rejects.toMatchObject(refusal);
    expect(driver.commits()).toBe(before + 1);
    expect(await storage.readLog('audit', { limit: 10 })).toHaveLength(1);
  });
});
