/** Storage on one PostgreSQL database, for any number of nodes. */
export { openPostgresSnapshot, type PostgresRestoreOptions, restorePostgresStorage } from './backup.js';
export { isPostgresOpenError, PostgresOpenError, type PostgresOpenErrorCode } from './open-error.js';
export type { PostgresPool, PostgresPoolClient, PostgresStorageOptions } from './options.js';
export { finalizePostgresSchema, openPostgresStorage } from './postgres-storage.js';
export { openPostgresRates, type PostgresRates } from './shared-rates.js';
