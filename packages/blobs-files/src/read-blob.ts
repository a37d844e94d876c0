/**
 * How a blob is read: hashed on the way, with the last piece kept back until the digest is known to be right. A reader that got
 * all bytes got the right ones; a disk that altered them, or a hand that did, is an error half-way.
 */
import { createHash } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { ProviderError } from '@postern/ports';
import type { CheckedDigest } from './blob-paths.js';
import { onDisk } from './disk.js';

const CHUNK_BYTES = 256 * 1024;

/** Reads a blob once. The file is opened by the first read: content that is never read holds nothing open. */
export async function* readBlob(
  path: string,
  digest: CheckedDigest,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  // A link where the blob should be was not put there by this store.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
  const handle = await onDisk('open a blob', () => open(path, flags));
  try {
    const hash = createHash('sha256');
    let kept: Uint8Array | undefined;
    for (let chunk = await nextChunk(handle); chunk !== undefined; chunk = await nextChunk(handle)) {
      signal?.throwIfAborted();
      hash.update(chunk);
      if (kept !== undefined) yield kept;
      kept = chunk;
    }
    if (hash.digest('hex') !== digest) {
      throw new ProviderError(
        'unavailable',
        `the stored bytes of ${digest} have changed: restore or publish them again`,
      );
    }
    if (kept !== undefined) yield kept;
  } finally {
    await handle.close();
  }
}

async function nextChunk(handle: FileHandle): Promise<Uint8Array | undefined> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  const { bytesRead } = await onDisk('read a blob', () => handle.read(buffer, 0, CHUNK_BYTES, null));
  return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
}
