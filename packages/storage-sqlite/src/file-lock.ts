/**
 * One writer process at a time: the lock on the file `FILE-lock`, held for as long as the storage is open.
 *
 * It is SQLite's own exclusive lock on an empty database beside the real one. The operating system releases it however
 * the process ends, so that no stale lock is ever left. It has a connection of its own, which prepares no statement: a
 * connection with statements may outlive its `close` until they are collected, and would keep its locks.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { SqlDatabase, SqliteDriver } from './driver.js';
import { SQLITE_RESULT, SqliteOpenError, sqliteResultOf } from './open-error.js';

export interface FileLock {
  release(): void;
}

const RETRY_MS = 50;

/** The lock file of a database file. */
export function lockFileOf(file: string): string {
  return `${file}-lock`;
}

/**
 * Takes the lock, trying again until `waitMs` are over.
 *
 * @throws SqliteOpenError `in_use` when another holds it, `unusable` when it can't be taken at all.
 */
export async function acquireFileLock(driver: SqliteDriver, file: string, waitMs: number): Promise<FileLock> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const database = tryLock(driver, file);
    if (database !== undefined) return { release: () => database.close() };
    if (performance.now() >= deadline) {
      const advice = 'it is in use. One process at a time writes to it: stop the other one, or name another file.';
      throw new SqliteOpenError('in_use', file, advice);
    }
    // Unequal pauses: of two processes that start at once, one must get ahead.
    await delay(RETRY_MS * (0.5 + Math.random()));
  }
}

function tryLock(driver: SqliteDriver, file: string): SqlDatabase | undefined {
  let database: SqlDatabase | undefined;
  try {
    database = driver.open(lockFileOf(file));
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (sqliteResultOf(error) === SQLITE_RESULT.busy) return undefined;
    const advice = `this user must be able to read and write ${lockFileOf(file)}.`;
    throw new SqliteOpenError('unusable', file, advice, error);
  }
}
