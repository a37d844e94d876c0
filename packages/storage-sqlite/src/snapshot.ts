/** A consistent view of a database file for a backup, while a server writes to it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StorageSnapshot, StoredItem } from '@postern/ports';
import { checkIntegrity } from './connection.js';
import { loadSqliteDriver, type SqlDatabase, type SqliteDriver } from './driver.js';
import { decodeEntries } from './log-rows.js';
import { faultOf, SqliteOpenError } from './open-error.js';
import { bytesOf, bytesToText, integerOf, keyOf, recordOf } from './rows.js';
import { inspectOwner } from './schema.js';

const PAGE = 500;
const DAMAGED = 'its contents are damaged; an earlier backup may be sound.';

/**
 * Opens a snapshot: one read transaction, which sees no later commit and stops no writer. It takes no lock of the storage.
 *
 * @throws SqliteOpenError `foreign_file`, `newer_schema`, `corrupt`, `unusable`.
 */
export async function openSqliteSnapshot(options: {
  readonly file: string;
  readonly driver?: SqliteDriver | undefined;
}): Promise<StorageSnapshot> {
  const driver = options.driver ?? (await loadSqliteDriver());
  const file = resolve(options.file);
  if (!existsSync(file))
    throw new SqliteOpenError('unusable', file, 'there is no such file. Name the database of a server.');
  let database: SqlDatabase | undefined;
  try {
    database = driver.open(file);
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; BEGIN');
    if (inspectOwner(database, file) === 'empty') {
      throw new SqliteOpenError('foreign_file', file, 'it is empty. Name the database of a server.');
    }
    checkIntegrity(database, file, DAMAGED);
    const lastVersion = String(
      integerOf(database.prepare('SELECT reserved FROM version_counter WHERE id = 1').get(), 'reserved'),
    );
    const open = database;
    return { items: itemsOf(open), lastVersion, close: async () => open.close() };
  } catch (error) {
    database?.close();
    if (error instanceof SqliteOpenError) throw error;
    if (faultOf(error) === 'broken') throw new SqliteOpenError('corrupt', file, DAMAGED, error);
    throw new SqliteOpenError('unusable', file, 'it cannot be read.', error);
  }
}

async function* itemsOf(database: SqlDatabase): AsyncGenerator<StoredItem> {
  const records = database.prepare(
    'SELECT key, value, version, expires_at FROM records WHERE key > ? ORDER BY key LIMIT ?',
  );
  let after: Uint8Array = new Uint8Array();
  for (;;) {
    const rows = records.all(after, PAGE);
    for (const row of rows) yield { kind: 'record', record: recordOf(keyOf(row), row) };
    const last = rows.at(-1);
    if (last === undefined) break;
    after = bytesOf(last, 'key');
  }
  const logs = database.prepare('SELECT id, log, entries FROM log_rows WHERE id > ? ORDER BY id LIMIT ?');
  for (let id = 0; ; ) {
    const rows = logs.all(id, PAGE);
    for (const row of rows) {
      const log = bytesToText(bytesOf(row, 'log'));
      for (const value of decodeEntries(bytesOf(row, 'entries'))) {
        if (value !== undefined) yield { kind: 'entry', log, value: value.toString('utf8') };
      }
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    id = integerOf(last, 'id');
  }
}
