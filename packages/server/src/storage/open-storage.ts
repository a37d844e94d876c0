/** The configured storage, opened. The drivers of databases are loaded only where they are asked for. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Storage } from '@postern/ports';
import type { PostgresRates, PostgresStorageOptions } from '@postern/storage-postgres';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { loadConfig } from '../config/config.js';
import type { Log } from '../log.js';
import { StartError, startErrorOf } from '../start-error.js';
import type { Terminal } from '../terminal.js';
import type { DynamodbConfig, PostgresConfig, StorageConfig } from './storage-config.js';

/** How long the start waits for a database that does not answer. */
const START_WAIT_SECONDS = 30;
/** Pauses between two attempts: doubled from the first to the last. Milliseconds. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 5_000;
/** A new table is ready within seconds, in rare cases minutes. */
const CREATE_WITHIN_MS = 120_000;

/**
 * @param log tells of a database that does not answer; without one the first failure ends the start.
 * @throws SqliteOpenError; StartError naming the member and what to do about it, without any password.
 */
export async function openStorage({ file, postgres, dynamodb }: StorageConfig, log?: Log): Promise<Storage> {
  if (postgres !== undefined) return openPostgres(postgres, log);
  return dynamodb === undefined ? openSqliteStorage({ file }) : openDynamodb(dynamodb, log);
}

async function openPostgres(config: PostgresConfig, log: Log | undefined): Promise<Storage> {
  const options = postgresOptions(config);
  const { isPostgresOpenError, openPostgresStorage } = await import('@postern/storage-postgres');
  return patiently(() => openPostgresStorage(options), {
    setting: 'storage.postgres',
    isOpenError: isPostgresOpenError,
    waitSeconds: config.startWaitSeconds,
    log,
  });
}

async function openDynamodb({ startWaitSeconds, ...options }: DynamodbConfig, log: Log | undefined): Promise<Storage> {
  const { isDynamoOpenError, openDynamoStorage } = await import('@postern/storage-dynamodb');
  return patiently(() => openDynamoStorage(options), {
    setting: 'storage.dynamodb',
    isOpenError: isDynamoOpenError,
    waitSeconds: startWaitSeconds,
    log,
  });
}

interface Patience {
  /** The member of the configuration. */
  readonly setting: string;
  readonly isOpenError: (error: unknown) => error is Error & { readonly code: string };
  readonly waitSeconds: number | undefined;
  readonly log: Log | undefined;
}

/** Tries again while the database is `unreachable`. */
async function patiently(
  open: () => Promise<Storage>,
  { setting, isOpenError, waitSeconds = START_WAIT_SECONDS, log }: Patience,
): Promise<Storage> {
  const deadline = performance.now() + waitSeconds * 1000;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
    try {
      return await open();
    } catch (error) {
      if (!isOpenError(error)) throw error;
      const mayCome = error.code === 'unreachable' && log !== undefined && performance.now() + pauseMs < deadline;
      if (!mayCome) throw new StartError(`${setting}: ${error.message}`, error);
      log('warning', 'the database does not answer; trying again', { code: error.code, retry_after_ms: pauseMs });
      await delay(pauseMs);
    }
  }
}

/** `postern storage create-table`: makes the configured table where it is missing. @throws ConfigError, StartError. */
export async function createTable(
  { config, shards }: { readonly config: string; readonly shards: number | undefined },
  { printOut }: Terminal,
): Promise<void> {
  const { dynamodb } = loadConfig(config).storage;
  if (dynamodb === undefined) {
    throw new StartError('storage.dynamodb: missing; a database file and a schema are made by the first start');
  }
  const { startWaitSeconds: _, ...options } = dynamodb;
  const { createDynamoTable, isDynamoOpenError } = await import('@postern/storage-dynamodb');
  try {
    const isNew = await createDynamoTable({ ...options, timeoutMs: CREATE_WITHIN_MS, shards });
    printOut(
      `${dynamodb.table}: ${isNew ? 'the table is made and can be used' : 'the table was there, and can be used'}\n`,
    );
  } catch (error) {
    throw isDynamoOpenError(error) ? new StartError(`storage.dynamodb: ${error.message}`, error) : error;
  }
}

/** Ends a rolling upgrade of the tables, where an earlier version made them. @throws StartError as `openStorage`; StorageError. */
export async function finalizeSchema({ postgres }: StorageConfig): Promise<void> {
  if (postgres === undefined) return;
  const { finalizePostgresSchema } = await import('@postern/storage-postgres');
  await finalizePostgresSchema(postgresOptions(postgres));
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
