/** The embedded durable Storage: one SQLite file, group commit. */
export { loadSqliteDriver, type SqlDatabase, type SqliteDriver, type SqlStatement, type SqlValue } from './driver.js';
export { isSqliteOpenError, SqliteOpenError, type SqliteOpenErrorCode } from './open-error.js';
export { type RestoredCounts, restoreSqliteStorage, type SqliteRestoreOptions } from './restore.js';
export { openSqliteSnapshot } from './snapshot.js';
export { openSqliteStorage, type SqliteStorageOptions } from './sqlite-storage.js';
