/** `postern backup` and `postern restore`: the configured storage into a file, and back (STORE-8). */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { restoreSqliteStorage } from '@postern/storage-sqlite';
import { loadConfig } from '../config/config.js';
import { forSetting, StartError } from '../start-error.js';
import type { Terminal } from '../terminal.js';
import { openBackup, writeBackup } from './backup-file.js';
import { forDatabase, isServed, openSnapshot } from './open-snapshot.js';
import { openStorage, postgresOptions } from './open-storage.js';
import type { DynamodbConfig, StorageConfig } from './storage-config.js';

/** Backs up while servers run. @param to a file that is not there yet, or a folder. @throws ConfigError, SqliteOpenError, StartError. */
export async function backUp(configFile: string, to: string, { printOut }: Terminal): Promise<void> {
  const { storage } = loadConfig(configFile);
  const now = Date.now();
  const path = resolve(to);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const file = isFolder ? join(path, `postern-${new Date(now).toISOString().replace(/[:.]/g, '')}.backup`) : path;
  if (existsSync(file)) throw new StartError(`${file}: it is there already; name a new file`);
  const snapshot = await openSnapshot(requireBackups(storage));
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
  const servers = await openStorage({ postgres });
  try {
    if (await isServed(servers)) {
      throw new StartError('storage.postgres: a server uses this database; stop all servers before you restore');
    }
  } finally {
    await servers.close();
  }
  const { restorePostgresStorage } = await import('@postern/storage-postgres');
  await forDatabase(
    'storage.postgres',
    restorePostgresStorage({ ...postgresOptions(postgres), replace }, backup, backup.counts),
  );
  return undefined;
}

/** @throws StartError for a table: DynamoDB has no moment that a client could read all of. */
function requireBackups(storage: StorageConfig): Exclude<StorageConfig, { readonly dynamodb: DynamodbConfig }> {
  if (storage.dynamodb === undefined) return storage;
  throw new StartError(
    'storage.dynamodb: use point-in-time recovery or backups of DynamoDB, and restore to a new table',
  );
}
