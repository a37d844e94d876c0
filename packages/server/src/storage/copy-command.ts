/** `postern storage copy`: everything that the storage of one configuration holds into that of another (STORE-10). */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isStorageError } from '@postern/ports';
import { type Config, loadConfig } from '../config/config.js';
import type { KeyPlace } from '../sealing/sealing-config.js';
import { StartError } from '../start-error.js';
import type { Terminal } from '../terminal.js';
import { createCopyProgress } from './copy-progress.js';
import { type CopySide, copyStorage } from './copy-storage.js';
import { isServed, openSnapshot } from './open-snapshot.js';
import { openStorage } from './open-storage.js';

/**
 * Servers on either must be stopped. A database file that a server has open cannot be opened; of a shared database it shows.
 *
 * @param from a configuration file, and `to` another. @throws ConfigError, SqliteOpenError, StartError.
 */
export async function copyStorages(from: string, to: string, terminal: Terminal): Promise<void> {
  const [source, target] = [loadConfig(from), loadConfig(to)];
  const { file } = source.storage;
  if (file !== undefined && !existsSync(file)) throw new StartError(`FROM: ${file}: no such file`);
  // By another name it is found not to be empty, or to hold all already: nothing is written either way.
  if (JSON.stringify(source.storage) === JSON.stringify(target.storage)) {
    throw new StartError('FROM and TO name the same storage');
  }
  const progress = createCopyProgress(terminal);
  const report = await withSide(source, from, async (fromSide) => {
    if (file === undefined && (await isServed(fromSide.storage))) {
      throw new StartError(`FROM: ${from}: a server uses this storage; stop all servers before you copy it`);
    }
    return withSide(target, to, (toSide) => copyStorage(fromSide, toSide, progress.show));
  }).finally(progress.end);
  const { records, entries, written, digest } = report;
  terminal.printOut(
    `copied ${records} records and ${entries} log entries, ${written} of them now; read again on both sides, and equal:\n` +
      `  sha256 ${digest}\n${notCopied(source, target)}`,
  );
}

async function withSide<T>(
  { storage: config }: Config,
  configFile: string,
  work: (side: CopySide) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(config);
  try {
    return await work({
      storage,
      async snapshot() {
        const { items, ...snapshot } = await openSnapshot(config);
        return { ...snapshot, items: readNamed(configFile, items) };
      },
    });
  } catch (error) {
    throw namedError(configFile, error);
  } finally {
    await storage.close();
  }
}

/** What one side fails with while the other one is open as well. */
async function* readNamed<T>(configFile: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw namedError(configFile, error);
  }
}

/** A failure of a storage as one that names its configuration and the remedy; any other as it is. */
function namedError(configFile: string, error: unknown): unknown {
  if (!isStorageError(error)) return error;
  return new StartError(`${configFile}: ${error.message}\n  mend that, and run the same copy again: it goes on`, error);
}

/** What an operator must bring along by other means. */
function notCopied(from: Config, to: Config): string {
  const notes: string[] = [];
  if (from.sealing !== 'none') {
    const places = to.sealing === 'none' ? [] : to.sealing;
    for (const place of from.sealing) {
      if (places.some((other) => nameOf(other) === nameOf(place))) continue;
      notes.push(
        `${nameOf(place)}, which seals secrets: TO must name it, or a copy of it, under sealing or sealing.former`,
      );
    }
  }
  if (from.registry !== undefined) {
    notes.push(`the registry's archives in ${archivesOf(from)}: TO looks for them in ${archivesOf(to)}`);
  }
  return notes.length === 0 ? '' : `Not copied:\n${notes.map((note) => `  ${note}\n`).join('')}`;
}

function nameOf({ keyFile, awsKms }: KeyPlace): string {
  return keyFile === undefined ? `the KMS key ${awsKms?.keyId}` : `the key file ${keyFile}`;
}

/** As `postern serve` finds them. */
function archivesOf({ registry, storage, directory }: Config): string {
  return registry?.archives ?? join(dirname(storage.file ?? directory), 'archives');
}
