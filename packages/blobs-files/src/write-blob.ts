/**
 * How content becomes a blob: written beside, synced, moved to its name, and the name synced. A blob is whole or not there,
 * whenever the process dies.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ProviderError, type StoredBlob } from '@postern/ports';
import { type BlobPaths, type CheckedDigest, incomingName, isDigest } from './blob-paths.js';
import { onDisk, syncFolder } from './disk.js';
import { beginWriting, endWriting } from './leftovers.js';

/**
 * Writes content to the store.
 *
 * @throws RangeError for more than `maxBytes`, what `content` throws, the signal's reason, or ProviderError `unavailable`;
 *   nothing is left then.
 */
export async function writeBlob(
  paths: BlobPaths,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<StoredBlob> {
  signal?.throwIfAborted();
  const name = incomingName();
  const path = join(paths.incoming, name);
  beginWriting(name);
  try {
    const handle = await onDisk('begin a file', () => open(path, 'wx', 0o600));
    let blob: { readonly digest: CheckedDigest; readonly sizeBytes: number };
    try {
      blob = await receive(handle, content, maxBytes, signal);
      await onDisk('sync a file', () => handle.sync());
    } finally {
      await handle.close();
    }
    await onDisk('keep a file', () => moveToItsName(paths, path, blob.digest));
    return blob;
  } catch (error) {
    // Best effort: the error that is thrown says more than a second one, and opening the store sweeps what is left.
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    endWriting(name);
  }
}

async function receive(
  handle: FileHandle,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly digest: CheckedDigest; readonly sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of content) {
    signal?.throwIfAborted();
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new RangeError(`the content has more than ${maxBytes} bytes`);
    hash.update(chunk);
    await onDisk('write to a file', () => writeAll(handle, chunk));
  }
  signal?.throwIfAborted();
  const digest = hash.digest('hex');
  if (!isDigest(digest)) throw new ProviderError('unavailable', 'the platform computed no SHA-256');
  return { digest, sizeBytes };
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0;
  while (written < chunk.length) written += (await handle.write(chunk, written, chunk.length - written)).bytesWritten;
}

/** Also where the blob is there already: what was damaged since is whole again. Readers keep the file that they opened. */
async function moveToItsName(paths: BlobPaths, from: string, digest: CheckedDigest): Promise<void> {
  const shard = paths.shardOf(digest);
  const created = await mkdir(shard, { recursive: true, mode: 0o700 });
  await rename(from, paths.blobOf(digest));
  await syncFolder(shard);
  if (created !== undefined) await syncFolder(paths.blobs);
}
