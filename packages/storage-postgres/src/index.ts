/** Storage on one PostgreSQL database, for any number of nodes. */
export { isPostgresOpenError, PostgresOpenError, type PostgresOpenErrorCode } from './open-error.js';
export { openPostgresStorage } from './postgres-storage.js';
export type { PostgresStorageOptions } from './settings.js';
