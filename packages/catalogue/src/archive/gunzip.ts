/** Gzip over an archive: unpacked as a stream, counted, to its last byte. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { systemCodeOf } from '../system-code.js';
import type { ExpansionGuard } from './expansion.js';
import { refusal } from './refuse.js';

/**
 * Unpacks.
 *
 * @throws ModuleArchiveError `archive_unreadable` for damage, a cut, or bytes behind the end; `archive_expands_too_much`.
 */
export async function* gunzip(
  packed: AsyncIterable<Uint8Array>,
  packedBytes: number,
  guard: ExpansionGuard,
): AsyncGenerator<Uint8Array, void, undefined> {
  const unpacking = createGunzip({ chunkSize: 64 * 1024 });
  const fed = pipeline(Readable.from(packed, { objectMode: false }), unpacking);
  // Its failure is that of the loop below, which may have been left before.
  fed.catch(() => undefined);
  try {
    for await (const chunk of unpacking) {
      guard.expanded(chunk.length);
      yield chunk;
    }
    await fed;
  } catch (error) {
    if (systemCodeOf(error)?.startsWith('Z_') !== true) throw error;
    throw refusal('archive_unreadable', 'the gzip data is damaged or cut: upload the archive again', error);
  } finally {
    unpacking.destroy();
  }
  if (unpacking.bytesWritten !== packedBytes) {
    throw refusal('archive_unreadable', 'something stands behind the gzip data: upload the archive alone');
  }
}
