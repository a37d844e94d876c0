/** `postern backup` and `postern restore`: the configured storage into a file, and back (STORE-8). */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteSnapshot, restoreSqliteStorage } from '@postern/storage-sqlite';
import { loadConfig } from '../config/config.js';
import { forSetting, StartError } from '../start-error.js';
import type { Terminal } from '../terminal.js';
import { openBackup, writeBackup } from './backup-file.js';
import { openStorage, postgresOptions } from './open-storage.js';
import { READINESS_EVERY_MS, READINESS_KEY } from './readiness.js';
import type { DynamodbConfig, PostgresConfig, StorageConfig } from './storage-config.js';

/** Backs up while servers run. @param to a file that is not there yet, or a folder. @throws ConfigError, SqliteOpenError, StartError. */
export async function backUp(configFile: string, to: string, { printOut }: Terminal): Promise<void> {
  const { storage } = loadConfig(configFile);
  const now = Date.now();
  const path = resolve(to);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const file = isFolder ? join(path, `postern-${new Date(now).toISOString().replace(/[:.]/g, '')}.backup`) : path;
  if (existsSync(file)) throw new StartError(`${file}: it is there already; name a new file`);
  const snapshot = await openSnapshot(storage);
  try {
    const counts = await forSetting('backup', writeBackup(file, snapshot, now));
    // Read back: a backup that cannot be restored is none.
    await readToEnd(file);
    printOut(
      `${file}: ${counts.records} records and ${counts.entries} log entries, verified.\n` +
        'Not in it: the key file that seals secrets, and the archives of the registry. Back them up as well.\n',
    );
  } finally {
    await snapshot.close();
  }
}

/** Puts a backup in place of what the configured storage holds. Servers must be stopped. @throws ConfigError, SqliteOpenError, StartError. */
export async function restore(
  { config, from, replace }: { readonly config: string; readonly from: string; readonly replace: boolean },
  { printOut }: Terminal,
): Promise<void> {
  const { storage } = loadConfig(config);
  if (!existsSync(from)) throw new StartError(`${from}: no such file`);
  // Read once to its end before anything is touched.
  await readToEnd(from);
  const backup = await openBackup(from);
  const kept = await put(storage, backup, replace);
  const { records, entries } = backup.counts();
  printOut(
    `restored ${records} records and ${entries} log entries as of ${backup.createdAt}.\n` +
      `${kept === undefined ? '' : `What was there before: ${kept}\n`}` +
      'Tokens and access-list entries that were revoked or deleted since then are valid again.\n',
  );
}

/** @throws StartError where the file is torn. */
async function readToEnd(file: string): Promise<void> {
  const { items, counts } = await openBackup(file);
  for await (const _item of items);
  counts();
}

async function put(
  storage: StorageConfig,
  backup: Awaited<ReturnType<typeof openBackup>>,
  replace: boolean,
): Promise<string | undefined> {
  const { file, postgres } = requireBackups(storage);
  if (postgres === undefined) {
    return (await restoreSqliteStorage({ file, replace }, backup, backup.counts)).replaced;
  }
  await requireStopped(postgres);
  const { restorePostgresStorage } = await import('@postern/storage-postgres');
  await forPostgres(restorePostgresStorage({ ...postgresOptions(postgres), replace }, backup, backup.counts));
  return undefined;
}

/** A running server writes its readiness every two seconds. @throws StartError. */
async function requireStopped(postgres: PostgresConfig): Promise<void> {
  const storage = await openStorage({ postgres });
  try {
    const before = await storage.get(READINESS_KEY);
    if (before === undefined) return;
    await delay(2.5 * READINESS_EVERY_MS);
    const after = await storage.get(READINESS_KEY);
    if (after?.version === before.version) return;
  } finally {
    await storage.close();
  }
  throw new StartError('storage.postgres: a server uses this database; stop all servers before you restore');
}

async function openSnapshot(storage: StorageConfig) {
  const { file, postgres } = requireBackups(storage);
  if (postgres === undefined) return openSqliteSnapshot({ file });
  const { openPostgresSnapshot } = await import('@postern/storage-postgres');
  return forPostgres(openPostgresSnapshot(postgresOptions(postgres)));
}

/** @throws StartError for a table: DynamoDB has no moment that a client could read all of. */
function requireBackups(storage: StorageConfig): Exclude<StorageConfig, { readonly dynamodb: DynamodbConfig }> {
  if (storage.dynamodb === undefined) return storage;
  throw new StartError(
    'storage.dynamodb: use point-in-time recovery or backups of DynamoDB, and restore to a new table',
  );
}

async function forPostgres<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isKnown = error instanceof Error && (error.name === 'PostgresOpenError' || error.name === 'StorageError');
    throw isKnown ? new StartError(`storage.postgres: ${error.message}`, error) : error;
  }
}
