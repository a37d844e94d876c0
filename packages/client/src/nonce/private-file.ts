/**
 * Files that only their owner can read: written aside, made durable, then put in place in one step, so that a crash leaves the old
 * file, the new one or none, and never half of one.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode } from '../client-error.js';

/** A file or folder that others could read or change, or that is not what it should be. The message has no content. */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError';
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const MAX_BYTES = 4_096;

/** Makes the folder, for its owner alone, where it is missing. @throws UnsafeFileError for one that others can write to. */
export async function preparePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (!found.isDirectory()) throw new UnsafeFileError('not a folder, or a link to one');
  checkOwner(found, OTHERS_WRITE, 'the folder');
}

/** @returns undefined if the file does not exist. @throws UnsafeFileError; the error of the file system */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    // Without following a link, and without waiting for the other end of a pipe.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ELOOP') throw new UnsafeFileError('a symbolic link');
    throw error;
  }
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new UnsafeFileError('not a file');
    checkOwner(found, OTHERS, 'the file');
    if (found.size > MAX_BYTES) throw new UnsafeFileError('too large to be ours');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Creates a file; never replaces one. @returns false where there is one, which stays as it is. */
export async function createPrivateFile(file: string, text: string): Promise<boolean> {
  return putInPlace(file, text, async (aside) => {
    try {
      // A link to an existing name fails, unlike a rename: of two processes one wins.
      await link(aside, file);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(aside, { force: true });
    }
  });
}

/** Puts a file in place of whatever has that name. */
export async function replacePrivateFile(file: string, text: string): Promise<void> {
  await putInPlace(file, text, (aside) => rename(aside, file));
}

async function putInPlace<T>(file: string, text: string, place: (aside: string) => Promise<T>): Promise<T> {
  const aside = join(dirname(file), `.${basename(file)}.${randomBytes(8).toString('hex')}`);
  try {
    const handle = await open(aside, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const placed = await place(aside);
    await syncFolder(dirname(file));
    return placed;
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

/** Makes durable which files are in a folder. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Where the system knows owners and modes. The owner must be this user or root. */
function checkOwner({ uid, mode }: { uid: number; mode: number }, forbidden: number, what: string): void {
  const own = process.geteuid?.();
  if (own === undefined) return;
  if (uid !== own && uid !== 0) throw new UnsafeFileError(`${what} belongs to another user`);
  if ((mode & forbidden) !== 0) throw new UnsafeFileError(`other users have access to ${what}`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/**
 * Puts the token into a file that only its owner can read (mode 0600), in one step: a reader finds the old token or the new one. A
 * link in its place is replaced, not followed.
 *
 * @throws Error whose `code` is that of the file system; it does not quote the token.
 */
export async function writeTokenFile(file: string, token: string): Promise<void> {
  try {
    await replacePrivateFile(file, `${token}\n`);
  } catch (error) {
    const code = systemCode(error);
    throw Object.assign(new Error(`could not write the token file (${code ?? 'no code'})`), { code });
  }
}
