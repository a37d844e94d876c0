/** Storage on one PostgreSQL database, for any number of nodes. */
export { isPostgresOpenError, PostgresOpenError, type PostgresOpenErrorCode } from './open-error.js';
export type { PostgresPool, PostgresPoolClient, PostgresStorageOptions } from './options.js';
export { openPostgresStorage } from './postgres-storage.js';
