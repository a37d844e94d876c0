/** The configured storage, opened. PostgreSQL's driver is loaded only where it is asked for. */
import { readFileSync } from 'node:fs';
import type { Storage } from '@postern/ports';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { StartError, startErrorOf } from '../start-error.js';
import type { PostgresConfig, StorageConfig } from './storage-config.js';

/** @throws SqliteOpenError; StartError naming `storage.postgres` and what to do about it, without any password. */
export async function openStorage({ file, postgres }: StorageConfig): Promise<Storage> {
  return postgres === undefined ? openSqliteStorage({ file }) : openPostgres(postgres);
}

async function openPostgres({ url, tls, caFile, ...rest }: PostgresConfig): Promise<Storage> {
  const ca = caFile === undefined ? undefined : certificateIn(caFile);
  const { isPostgresOpenError, openPostgresStorage } = await import('@postern/storage-postgres');
  try {
    return await openPostgresStorage({
      ...rest,
      ...(url === undefined ? {} : { connectionString: url }),
      ...(ca === undefined ? (tls === undefined ? {} : { tls }) : { tls: { ca } }),
    });
  } catch (error) {
    if (!isPostgresOpenError(error)) throw error;
    throw new StartError(`storage.postgres: ${error.message}`, error);
  }
}

/** @throws StartError. */
function certificateIn(caFile: string): string {
  try {
    return readFileSync(caFile, 'utf8');
  } catch (error) {
    throw startErrorOf(error, 'storage.postgres.caFile') ?? error;
  }
}
