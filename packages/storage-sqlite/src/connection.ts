/** One open connection: the prepared statements and the count of versions. */
import { statSync } from 'node:fs';
import type { SqlDatabase, SqliteDriver, SqlStatement } from './driver.js';
import { SQLITE_RESULT, SqliteOpenError, sqliteResultOf } from './open-error.js';
import { pragma, setUpDatabase } from './schema.js';
import { VersionCounter } from './version-counter.js';

const DAMAGED = 'its contents are damaged; restore it from a backup';

export interface Connection {
  readonly database: SqlDatabase;
  readonly versions: VersionCounter;
  readonly statements: Statements;
  /** How many entries rows of logs were written with, by their ids: of the last `MAX_COUNTED` rows. */
  readonly logCounts: Map<number, number>;
}

/** Every statement, prepared once. `INDEXED BY` makes SQLite refuse a plan that would sort or scan the table. */
export type Statements = Readonly<Record<keyof typeof SQL, SqlStatement>>;

export const SQL = {
  get: 'SELECT value, version, expires_at FROM records WHERE key = ?',
  version: 'SELECT version FROM records WHERE key = ?',
  listKeys: 'SELECT key FROM records INDEXED BY records_by_key WHERE key >= ? AND key < ? ORDER BY key LIMIT ?',
  listRecords: `SELECT key, value, version, expires_at FROM records INDEXED BY records_by_key
    WHERE key >= ? AND key < ? ORDER BY key LIMIT ?`,
  listExpired: `SELECT key, value, version, expires_at FROM records INDEXED BY records_by_expiry
    WHERE expires_at IS NOT NULL AND (expires_at, key) > (?, ?) AND expires_at < ? AND key >= ? AND key < ?
    ORDER BY expires_at, key LIMIT ?`,
  put: `INSERT INTO records (key, value, version, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT (key)
    DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at`,
  /** Writes nothing where there is a record: precondition and write in one. */
  insert: 'INSERT INTO records (key, value, version, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING',
  delete: 'DELETE FROM records WHERE key = ?',
  readLog: 'SELECT id, entries FROM log_rows WHERE log = ? ORDER BY id LIMIT ?',
  getLogRow: 'SELECT entries FROM log_rows WHERE id = ? AND log = ?',
  putLogRow: `INSERT INTO log_rows (id, log, entries) VALUES (?, ?, ?) ON CONFLICT (id)
    DO UPDATE SET entries = excluded.entries`,
  deleteLogRow: 'DELETE FROM log_rows WHERE id = ? AND log = ?',
  /** Changes when another connection committed. */
  dataVersion: 'PRAGMA data_version',
} as const;

/**
 * Opens and checks a database file.
 *
 * @throws SqliteOpenError `newer_schema`, `foreign_file`, `corrupt`, `unusable`; nothing stays open.
 */
export function openConnection(driver: SqliteDriver, file: string): Connection {
  let database: SqlDatabase | undefined;
  try {
    database = driver.open(file);
    const mustCheck = needsCheck(file);
    setUpDatabase(database, file);
    if (mustCheck) checkIntegrity(database, file);
    return {
      database,
      versions: new VersionCounter(database),
      logCounts: new Map(),
      statements: {
        get: database.prepare(SQL.get),
        version: database.prepare(SQL.version),
        listKeys: database.prepare(SQL.listKeys),
        listRecords: database.prepare(SQL.listRecords),
        listExpired: database.prepare(SQL.listExpired),
        put: database.prepare(SQL.put),
        insert: database.prepare(SQL.insert),
        delete: database.prepare(SQL.delete),
        readLog: database.prepare(SQL.readLog),
        getLogRow: database.prepare(SQL.getLogRow),
        putLogRow: database.prepare(SQL.putLogRow),
        deleteLogRow: database.prepare(SQL.deleteLogRow),
        dataVersion: database.prepare(SQL.dataVersion),
      },
    };
  } catch (error) {
    database?.close();
    if (error instanceof SqliteOpenError) throw error;
    if (sqliteResultOf(error) === SQLITE_RESULT.corrupt) {
      throw new SqliteOpenError('corrupt', file, DAMAGED, error);
    }
    if (sqliteResultOf(error) === SQLITE_RESULT.notADatabase) {
      throw new SqliteOpenError('foreign_file', file, 'it is not a database; name another file', error);
    }
    throw new SqliteOpenError('unusable', file, 'check that the disk has room and the file may be written', error);
  }
}

/** A quick check reads the whole file: 0.1 to 0.5 s for the first of these. Bytes. */
const ALWAYS_CHECKED = 64 * 1024 * 1024;
const CHECKED_AFTER_CRASH = 1024 * 1024 * 1024;

/** Whether the start waits for a check: for a small file, and for a larger one that was not closed in order. */
function needsCheck(file: string): boolean {
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size(file) <= (size(`${file}-wal`) > 0 ? CHECKED_AFTER_CRASH : ALWAYS_CHECKED);
}

/** @throws SqliteOpenError `corrupt`: a server must not serve from a file that a restore or a disk has torn. */
export function checkIntegrity(database: SqlDatabase, file: string, advice = DAMAGED): void {
  if (pragma(database, 'quick_check(1)') !== 'ok') throw new SqliteOpenError('corrupt', file, advice);
}

/** Closes a connection, with the log moved into the database file so that the file alone is the whole database. */
export function closeConnection({ database }: Connection): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // What is acknowledged is safe in the log; the next opening reads it from there.
  }
  database.close();
}
