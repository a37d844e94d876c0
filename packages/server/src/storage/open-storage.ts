/** The configured storage, opened. PostgreSQL's driver is loaded only where it is asked for. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Storage } from '@postern/ports';
import type { PostgresRates, PostgresStorageOptions } from '@postern/storage-postgres';
import { openSqliteStorage } from '@postern/storage-sqlite';
import type { Log } from '../log.js';
import { StartError, startErrorOf } from '../start-error.js';
import type { PostgresConfig, StorageConfig } from './storage-config.js';

/** How long the start waits for a database that does not answer. */
const START_WAIT_SECONDS = 30;
/** Pauses between two attempts: doubled from the first to the last. Milliseconds. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 5_000;

/**
 * @param log tells of a database that does not answer; without one the first failure ends the start.
 * @throws SqliteOpenError; StartError naming `storage.postgres` and what to do about it, without any password.
 */
export async function openStorage({ file, postgres }: StorageConfig, log?: Log): Promise<Storage> {
  return postgres === undefined ? openSqliteStorage({ file }) : openPostgres(postgres, log);
}

async function openPostgres(config: PostgresConfig, log: Log | undefined): Promise<Storage> {
  const { startWaitSeconds = START_WAIT_SECONDS } = config;
  const options = postgresOptions(config);
  const { isPostgresOpenError, openPostgresStorage } = await import('@postern/storage-postgres');
  const deadline = performance.now() + startWaitSeconds * 1000;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
    try {
      return await openPostgresStorage(options);
    } catch (error) {
      if (!isPostgresOpenError(error)) throw error;
      const mayCome = error.code === 'unreachable' && log !== undefined && performance.now() + pauseMs < deadline;
      if (!mayCome) throw new StartError(`storage.postgres: ${error.message}`, error);
      log('warning', 'the database does not answer; trying again', { code: error.code, retry_after_ms: pauseMs });
      await delay(pauseMs);
    }
  }
}

/** For servers on one database. Connects to nothing yet. @throws StartError as `openStorage`. */
export async function openRates(config: PostgresConfig): Promise<PostgresRates> {
  const { openPostgresRates } = await import('@postern/storage-postgres');
  return openPostgresRates(postgresOptions(config));
}

/** As the adapter takes them. @throws StartError naming a file that cannot be read. */
export function postgresOptions({
  url,
  tls,
  caFile,
  startWaitSeconds: _,
  ...rest
}: PostgresConfig): PostgresStorageOptions {
  const ca = caFile === undefined ? undefined : certificateIn(caFile);
  return {
    ...rest,
    ...(url === undefined ? {} : { connectionString: url }),
    ...(ca === undefined ? (tls === undefined ? {} : { tls }) : { tls: { ca } }),
  };
}

/** @throws StartError. */
function certificateIn(caFile: string): string {
  try {
    return readFileSync(caFile, 'utf8');
  } catch (error) {
    throw startErrorOf(error, 'storage.postgres.caFile') ?? error;
  }
}
