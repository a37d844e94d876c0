/**
 * Packs what was inspected into a new archive (PUBLISH-6). The same upload gives the same bytes:
 * times, owners and comments of the upload are left out, and the gzip header says nothing of time or system.
 */
import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { ModuleArchiveFacts } from '@postern/ports';
import type { ArchiveEntry } from './archive-entry.js';
import { type ArchiveFile, writeAt } from './archive-file.js';
import { damaged } from './tar-header.js';
import { type PackedEntry, paddingOf, TAR_END, tarHeaders } from './tar-writer.js';

export interface Repacker {
  /** Adds an entry and reads its content to the end. */
  add(entry: PackedEntry & Pick<ArchiveEntry, 'content'>): Promise<void>;
  /** Ends the archive. */
  end(): Promise<ModuleArchiveFacts>;
  /** Releases what packing holds, however it went. */
  close(): void;
}

/** The byte of a gzip header that names a system: 255 is "unknown". zlib writes another one on each. */
const SYSTEM_BYTE = 9;
const UNKNOWN_SYSTEM = 255;

export function createRepacker(target: ArchiveFile): Repacker {
  const gzip = createGzip({ level: constants.Z_DEFAULT_COMPRESSION, chunkSize: 64 * 1024 });
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const store = async (chunk: Uint8Array) => {
    // The first chunk holds the whole header.
    if (sizeBytes === 0) chunk[SYSTEM_BYTE] = UNKNOWN_SYSTEM;
    hash.update(chunk);
    await writeAt(target, chunk, sizeBytes);
    sizeBytes += chunk.length;
  };
  const sink = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => void store(chunk).then(() => done(), done),
  });
  const stored = pipeline(gzip, sink);
  let fail: (error: unknown) => void = () => undefined;
  // A stream that its sink destroyed may never call a write back.
  stored.catch((error: unknown) => fail(error));
  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      fail = reject;
      gzip.write(bytes, (error) => (error ? reject(error) : resolve()));
    });

  return {
    async add(entry) {
      await write(tarHeaders(entry));
      let left = entry.sizeBytes;
      for await (const chunk of entry.content) {
        left -= chunk.length;
        await write(chunk);
      }
      if (left !== 0) throw damaged('an entry has another size than it says');
      const padding = paddingOf(entry.sizeBytes);
      if (padding > 0) await write(new Uint8Array(padding));
    },
    async end() {
      await write(TAR_END);
      gzip.end();
      await stored;
      return { format: 'tar.gz', sizeBytes, digest: hash.digest('hex') };
    },
    close: () => void gzip.destroy(),
  };
}
