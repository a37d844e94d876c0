/**
 * The key file that protects the data keys of a database (STORE-4). Made at the first start, beside the database and not in
 * it, so that a copy of the database opens nothing. Text of one line: a prefix and base64url of 32 bytes.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { WrappingKey } from '@postern/core-auth';
import { StartError, startErrorOf } from '../start-error.js';
import { syncFolder } from '../sync-folder.js';

const PREFIX = 'postern-key-1.';
const KEY_BYTES = 32;
const WORLD_READ_OR_GROUP_WRITE = 0o027;

/** @returns undefined where there is no such file. @throws StartError for one that is no key file, or open to others. */
export async function readKeyFile(file: string): Promise<WrappingKey | undefined> {
  let content: string;
  try {
    const { mode } = await stat(file);
    if (process.platform !== 'win32' && (mode & WORLD_READ_OR_GROUP_WRITE) !== 0) {
      throw new StartError(`sealing.keyFile: ${file} can be read or written by other users\n  chmod 600 ${file}`);
    }
    content = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw startErrorOf(error, 'sealing.keyFile') ?? error;
  }
  const line = content.trim();
  const key = line.startsWith(PREFIX) ? Buffer.from(line.slice(PREFIX.length), 'base64url') : undefined;
  if (key?.length !== KEY_BYTES) throw new StartError(`sealing.keyFile: ${file} is not a key file; restore it`);
  return named(key);
}

/** Makes the file, whole or not at all. Of processes that start at once, one makes it. @throws StartError. */
export async function createKeyFile(file: string): Promise<WrappingKey> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    try {
      await writeKey(temporary);
      await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    } finally {
      await rm(temporary, { force: true });
    }
    // A data key must never outlive the file that wraps it: the file's name is on disk before any is stored.
    await syncFolder(dirname(file));
  } catch (error) {
    throw startErrorOf(error, 'sealing.keyFile') ?? error;
  }
  const made = await readKeyFile(file);
  if (made === undefined) throw new StartError(`sealing.keyFile: ${file} disappeared while it was made`);
  return made;
}

async function writeKey(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(`${PREFIX}${randomBytes(KEY_BYTES).toString('base64url')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Named by a digest of the key, so that another key has another name. */
function named(key: Uint8Array): WrappingKey {
  const digest = createHash('sha256').update('postern-key-id\0').update(key).digest('hex');
  return { id: `file:${digest.slice(0, 16)}`, key: new Uint8Array(key) };
}
