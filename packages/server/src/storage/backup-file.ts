/**
 * A backup: one file of JSON lines, the same for both storages. First what wrote it, then every record and log entry, last how
 * many there are and the digest of all before: a file that is cut or altered is not taken. Secrets in it are sealed as in the
 * storage; it holds no key.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StorageSnapshot, StoredItem } from '@postern/ports';
import * as z from 'zod';
import { StartError } from '../start-error.js';
import { syncFolder } from '../sync-folder.js';
import { VERSION } from '../version.js';

const FORMAT = 'postern-backup';
const FORMAT_VERSION = 1;
/** A record of the longest key and value, escaped. */
const MAX_LINE = 8 * 1024 * 1024;

export interface BackupCounts {
  readonly records: number;
  readonly entries: number;
}

const head = z.strictObject({
  format: z.literal(FORMAT),
  version: z.number(),
  createdAt: z.string(),
  createdBy: z.string(),
  lastVersion: z.string().regex(/^\d{1,18}$/),
});
const line = z.union([
  z.strictObject({ key: z.string(), value: z.string(), version: z.string(), expiresAt: z.number().optional() }),
  z.strictObject({ log: z.string(), value: z.string() }),
  z.strictObject({ records: z.number(), entries: z.number(), sha256: z.string() }),
]);

/** Writes a snapshot. The file appears under its name once it is whole and on the disk. */
export async function writeBackup(path: string, snapshot: StorageSnapshot, now: number): Promise<BackupCounts> {
  const counts = { records: 0, entries: 0 };
  const digest = createHash('sha256');
  async function* lines(): AsyncGenerator<string> {
    const text = (value: object): string => {
      // Readers of lines, Node's among them, end one at these too.
      const made = `${JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
      digest.update(made);
      return made;
    };
    const { lastVersion } = snapshot;
    const createdAt = new Date(now).toISOString();
    yield text({ format: FORMAT, version: FORMAT_VERSION, createdAt, createdBy: VERSION, lastVersion });
    for await (const item of snapshot.items) {
      if (item.kind === 'record') {
        const { key, value, version, expiresAt } = item.record;
        counts.records += 1;
        yield text({ key, value, version, expiresAt });
      } else {
        counts.entries += 1;
        yield text({ log: item.log, value: item.value });
      }
    }
    yield `${JSON.stringify({ ...counts, sha256: digest.digest('hex') })}\n`;
  }
  const partial = `${path}.partial`;
  rmSync(partial, { force: true });
  try {
    await pipeline(Readable.from(lines()), createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }));
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
  return counts;
}

export interface Backup extends Pick<StorageSnapshot, 'items' | 'lastVersion'> {
  readonly createdAt: string;
  /** What the last line says. @throws StartError before everything was read, or where the file is torn. */
  counts(): BackupCounts;
}

/** @throws StartError where the file is no backup, one of a newer version, or cannot be read. Items throw where it is torn. */
export async function openBackup(path: string): Promise<Backup> {
  const lines = createInterface({ input: createReadStream(path, { encoding: 'utf8' }), crlfDelay: 0 });
  const iterator = lines[Symbol.asyncIterator]();
  const digest = createHash('sha256');
  const first = await iterator.next();
  const parsed = head.safeParse(jsonOf(first.done === true ? '' : first.value));
  if (!parsed.success) throw torn(path, 'it is not a backup of Postern');
  if (parsed.data.version !== FORMAT_VERSION) {
    throw torn(
      path,
      `it has format ${parsed.data.version}, and this version reads ${FORMAT_VERSION}; run the version that wrote it`,
    );
  }
  digest.update(`${first.value}\n`);
  let counts: BackupCounts | undefined;
  async function* items(): AsyncGenerator<StoredItem> {
    const seen = { records: 0, entries: 0 };
    let end: { readonly records: number; readonly entries: number; readonly sha256: string } | undefined;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      if (end !== undefined || next.value.length > MAX_LINE) throw torn(path, 'lines follow its end, or are too long');
      const item = line.safeParse(jsonOf(next.value));
      if (!item.success) throw torn(path, 'a line cannot be read');
      if ('sha256' in item.data) {
        end = item.data;
        continue;
      }
      digest.update(`${next.value}\n`);
      if ('key' in item.data) {
        seen.records += 1;
        const { expiresAt, ...rest } = item.data;
        yield { kind: 'record', record: { ...rest, expiresAt } };
      } else {
        seen.entries += 1;
        yield { kind: 'entry', ...item.data };
      }
    }
    const isWhole =
      end?.records === seen.records && end.entries === seen.entries && end.sha256 === digest.digest('hex');
    if (!isWhole) throw torn(path, 'it is cut or was altered');
    counts = seen;
  }
  return {
    items: items(),
    lastVersion: parsed.data.lastVersion,
    createdAt: parsed.data.createdAt,
    counts: () => {
      if (counts === undefined) throw torn(path, 'it was not read to its end');
      return counts;
    },
  };
}

function torn(path: string, why: string): StartError {
  return new StartError(`${path}: ${why}. Nothing was restored.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
