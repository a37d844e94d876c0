/**
 * The file on disk: readable by its owner alone, in a folder of its owner alone.
 *
 * SQLite gives the write-ahead log and its index the mode of the database file, so that one mode settles all.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { lockFileOf } from './file-lock.js';
import { SqliteOpenError, systemReason } from './open-error.js';

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;
const OTHERS = 0o077;

/** Where a restore writes the new database. While it is there, the restore has not ended. */
export function restoringFileOf(file: string): string {
  return `${file}-restoring`;
}

/**
 * Creates the folder and the files that are missing, with owner-only modes. A folder that is there keeps its mode.
 *
 * An existing file is never opened here: closing any descriptor of a file drops this process's POSIX locks on it, and
 * with them the lock of a storage that has it open.
 *
 * @throws SqliteOpenError `unusable`.
 */
export function createDatabaseFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: OWNER_ONLY_FOLDER });
    for (const path of [file, lockFileOf(file)]) if (!existsSync(path)) createFile(path);
  } catch (error) {
    const advice = 'the file or its folder cannot be made: let this user write there, or name another file';
    throw new SqliteOpenError('unusable', file, `${advice}${systemReason(error)}.`, error);
  }
}

/**
 * Takes the rights of others away from a database that is known to be ours.
 *
 * @throws SqliteOpenError `unusable`.
 */
export function makePrivate(file: string): void {
  try {
    for (const path of [file, lockFileOf(file), `${file}-wal`, `${file}-shm`]) {
      const mode = statSync(path, { throwIfNoEntry: false })?.mode;
      if (mode !== undefined && (mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY_FILE);
    }
  } catch (error) {
    const advice = 'others may read it, and their rights cannot be taken away: make this user its owner';
    throw new SqliteOpenError('unusable', file, `${advice}${systemReason(error)}.`, error);
  }
}

function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY_FILE));
  } catch (error) {
    // Another process was faster; who of the two may keep it is decided by the lock.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
