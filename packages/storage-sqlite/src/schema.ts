/**
 * The schema, and how a connection is set up. Version 1.
 *
 * Keys and values are BLOBs of UTF-8: a BLOB compares byte by byte, which is the port's order, and keeps U+0000, at
 * which the drivers cut text. A table with rowid and an index on the key took 1.7 to 2.3 times the writes of a WITHOUT
 * ROWID table, and lists keys from the index alone.
 */
import type { SqlDatabase } from './driver.js';
import { SqliteOpenError } from './open-error.js';

/** Marks the file as ours in the SQLite header: "PSTN". */
export const APPLICATION_ID = 0x5053544e;
export const SCHEMA_VERSION = 1;

const CREATE_SCHEMA = `
  CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    value BLOB NOT NULL,
    version INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX records_by_key ON records (key);
  CREATE INDEX records_by_expiry ON records (expires_at, key) WHERE expires_at IS NOT NULL;
  CREATE TABLE version_counter (id INTEGER PRIMARY KEY CHECK (id = 1), reserved INTEGER NOT NULL) STRICT;
  INSERT INTO version_counter (id, reserved) VALUES (1, 0);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/**
 * Logs: what one transaction appended to a log is one row, see `log-rows.ts`. No index: rows are few, for they go when their
 * entries were handled. Added later, and nothing that an older version would mind: the version of the schema stays.
 */
const CREATE_LOG = `
  CREATE TABLE IF NOT EXISTS log_rows (id INTEGER PRIMARY KEY, log BLOB NOT NULL, entries BLOB NOT NULL) STRICT;
`;

/**
 * Sets up durability, and the schema of an empty file. What is not ours is refused before anything is written.
 *
 * `fullfsync` is what makes a commit durable on macOS. The busy timeout is for an operator's shell on the same file. A
 * checkpoint every 4,000 pages, not 1,000, writes pages that changed often once: a tenth of the cost of a commit.
 *
 * @throws SqliteOpenError `foreign_file`, `newer_schema`; the file is left as it was.
 */
export function setUpDatabase(database: SqlDatabase, file: string): void {
  database.exec('PRAGMA busy_timeout = 100; PRAGMA trusted_schema = OFF');
  const isEmpty = inspectOwner(database, file) === 'empty';
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA cache_size = -16384;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA wal_autocheckpoint = 4000;
  `);
  if (isEmpty) database.exec(`BEGIN IMMEDIATE; ${CREATE_SCHEMA} COMMIT`);
  database.exec(CREATE_LOG);
}

export function inspectOwner(database: SqlDatabase, file: string): 'empty' | 'ours' {
  const version = Number(pragma(database, 'user_version'));
  const owner = Number(pragma(database, 'application_id'));
  const objects = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').all().length;
  if (version === 0 && owner === 0 && objects === 0) return 'empty';
  if (owner !== APPLICATION_ID) {
    throw new SqliteOpenError('foreign_file', file, 'it belongs to another program; name another file');
  }
  if (version > SCHEMA_VERSION) {
    const advice = `its schema is version ${version}, this Postern knows ${SCHEMA_VERSION}; run the newer Postern`;
    throw new SqliteOpenError('newer_schema', file, advice);
  }
  return 'ours';
}

/** The first column of a pragma's first row. */
export function pragma(database: SqlDatabase, name: 'user_version' | 'application_id' | 'quick_check(1)'): unknown {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
}
