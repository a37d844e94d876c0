/** An open file that an archive is read from or written to: a `FileHandle`, or a descriptor that another thread opened. */
import { read, write } from 'node:fs';
import { promisify } from 'node:util';
import { ProviderError } from '@postern/ports';
import { systemCodeOf } from '../system-code.js';

export interface ArchiveFile {
  readonly fd: number;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
}

const CHUNK_BYTES = 64 * 1024;
const [readOf, writeOf] = [promisify(read), promisify(write)];

/** A file that somebody else closes. */
export function fileOf(fd: number): ArchiveFile {
  return {
    fd,
    read: (buffer, offset, length, position) => readOf(fd, buffer, offset, length, position),
    write: (buffer, offset, length, position) => writeOf(fd, buffer, offset, length, position),
  };
}

/** @throws ProviderError `unavailable` */
export async function writeAt(file: ArchiveFile, chunk: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < chunk.length) {
    const from = written;
    written += (await onScratch(() => file.write(chunk, from, chunk.length - from, position + from))).bytesWritten;
  }
}

/** The bytes from the first, in chunks of their own. @throws ProviderError `unavailable` */
export async function* readAll(file: ArchiveFile, sizeBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let position = 0; position < sizeBytes; ) {
    const buffer = new Uint8Array(Math.min(CHUNK_BYTES, sizeBytes - position));
    const at = position;
    const { bytesRead } = await onScratch(() => file.read(buffer, 0, buffer.length, at));
    if (bytesRead === 0) throw new ProviderError('unavailable', 'the scratch file of an upload was cut');
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** @throws ProviderError `unavailable` for whatever the file system answers but a result. */
export async function onScratch<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    const code = systemCodeOf(cause) ?? 'failed';
    throw new ProviderError('unavailable', `the scratch folder for uploads cannot be used: ${code}`, { cause });
  }
}
