/**
 * Puts a database file in place of another: the new one is written whole beside it, checked, and renamed over it. The log of
 * the old file (`-wal`) never meets the new one: SQLite would replay it and destroy both.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { StorageSnapshot } from '@postern/ports';
import { checkIntegrity, closeConnection, openConnection } from './connection.js';
import { createDatabaseFile, makePrivate, restoringFileOf } from './database-file.js';
import { loadSqliteDriver, type SqliteDriver } from './driver.js';
import { acquireFileLock } from './file-lock.js';
import { LogAppender } from './log-rows.js';
import { SqliteOpenError } from './open-error.js';
import { integerOf, textToBytes } from './rows.js';

/** Above every version that was given before: an old one must never name a new record. */
const VERSION_GAP = 2 ** 32;
const BATCH = 5_000;

export interface SqliteRestoreOptions {
  readonly file: string;
  /** Replace a database that is there; it is kept beside as `FILE.replaced-<time>`. Default: only into a place without a database. */
  readonly replace?: boolean | undefined;
  readonly driver?: SqliteDriver | undefined;
}

/** What was restored. */
export interface RestoredCounts {
  readonly records: number;
  readonly entries: number;
}

/**
 * @param expected asked after everything was read: what the backup says that it holds. It may throw; nothing is replaced then.
 * @throws SqliteOpenError `in_use` while a server has the file, `unusable`; what the snapshot throws.
 */
export async function restoreSqliteStorage(
  options: SqliteRestoreOptions,
  snapshot: Pick<StorageSnapshot, 'items' | 'lastVersion'>,
  expected: () => RestoredCounts,
): Promise<RestoredCounts & { readonly replaced: string | undefined }> {
  const driver = options.driver ?? (await loadSqliteDriver());
  const file = resolve(options.file);
  const isThere = existsSync(file) && statSync(file).size > 0;
  if (isThere && options.replace !== true) {
    throw new SqliteOpenError('unusable', file, 'it is there already. Pass --replace to put the backup in its place.');
  }
  createDatabaseFile(file);
  const lock = await acquireFileLock(driver, file, 0);
  try {
    const fresh = restoringFileOf(file);
    for (const rest of ['', '-wal', '-shm', '-journal']) rmSync(`${fresh}${rest}`, { force: true });
    const counts = await load(driver, fresh, snapshot, expected);
    makePrivate(fresh);
    sync(fresh);
    const replaced = isThere ? `${file}.replaced-${new Date().toISOString().replace(/[:.]/g, '')}` : undefined;
    // From here until the last rename there is no database: the start refuses while the fresh file stands beside.
    for (const rest of ['-wal', '-shm', '']) {
      if (replaced !== undefined && existsSync(`${file}${rest}`)) renameSync(`${file}${rest}`, `${replaced}${rest}`);
      else rmSync(`${file}${rest}`, { force: true });
    }
    sync(dirname(file));
    renameSync(fresh, file);
    sync(dirname(file));
    return { ...counts, replaced };
  } finally {
    lock.release();
  }
}

async function load(
  driver: SqliteDriver,
  file: string,
  { items, lastVersion }: Pick<StorageSnapshot, 'items' | 'lastVersion'>,
  expected: () => RestoredCounts,
): Promise<RestoredCounts> {
  const connection = openConnection(driver, file);
  const { database, statements } = connection;
  try {
    let records = 0;
    let entries = 0;
    const first = Number(lastVersion) + VERSION_GAP;
    if (!Number.isSafeInteger(first))
      throw new SqliteOpenError('unusable', file, 'the backup has a version out of range.');
    connection.versions.startAfter(first);
    database.exec('BEGIN IMMEDIATE');
    let appender = new LogAppender(connection);
    for await (const item of items) {
      if (item.kind === 'record') {
        const { key, value, version, expiresAt } = item.record;
        statements.put.run(textToBytes(key), textToBytes(value), Number(version), expiresAt ?? null);
        records += 1;
      } else {
        appender.append(item.log, textToBytes(item.value));
        entries += 1;
      }
      if ((records + entries) % BATCH === 0) {
        appender.write();
        database.exec('COMMIT; BEGIN IMMEDIATE');
        appender = new LogAppender(connection);
      }
    }
    appender.write();
    database.exec('COMMIT');
    const wanted = expected();
    const stored = integerOf(database.prepare('SELECT count(*) AS count FROM records').get(), 'count');
    if (stored !== wanted.records || records !== wanted.records || entries !== wanted.entries) {
      throw new SqliteOpenError(
        'corrupt',
        file,
        'it does not hold what the backup names. Try again, or take another backup.',
      );
    }
    // One file, without a log beside it.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
    checkIntegrity(database, file);
    return { records, entries };
  } finally {
    closeConnection(connection);
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
