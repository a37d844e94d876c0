/**
 * The upload on its way in: in a file of its own, hashed and bounded, so that memory holds a chunk of it and its digest is
 * known before anything is kept.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type EpochMillis, ProviderError } from '@postern/ports';
import { systemCodeOf } from '../system-code.js';
import { refusal } from './refuse.js';

export interface SpooledArchive {
  readonly file: FileHandle;
  readonly sizeBytes: number;
  /** SHA-256, lower-case hex. */
  readonly digest: string;
  /** The bytes from the first; may be asked for more than once. */
  content(): AsyncIterable<Uint8Array>;
}

const CHUNK_BYTES = 64 * 1024;

const NAME = 'postern-upload-';

/**
 * Receives an upload, works on it, and removes it however that ends. Where the system lets a file be removed while it is
 * open, it loses its name before its first byte: of a killed process stays an empty file at most, for `sweepSpooled`.
 *
 * @throws ModuleArchiveError `archive_too_large`, `archive_empty`; what `content` or `work` throws;
 *   ProviderError `unavailable` where the scratch folder fails.
 */
export async function withSpooled<T>(
  scratchFolder: string,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | undefined,
  work: (archive: SpooledArchive) => Promise<T>,
): Promise<T> {
  const path = join(scratchFolder, `${NAME}${randomBytes(12).toString('hex')}`);
  const file = await onScratch(() => open(path, 'wx+', 0o600));
  const removedAtOnce = await rm(path).then(
    () => true,
    () => false,
  );
  try {
    return await work(await receive(file, content, maxBytes, signal));
  } finally {
    await file.close();
    if (!removedAtOnce) await rm(path, { force: true });
  }
}

/** Removes what killed processes left in a scratch folder, last written before an instant. */
export async function sweepSpooled(scratchFolder: string, before: EpochMillis): Promise<void> {
  const names = await onScratch(() => readdir(scratchFolder));
  for (const name of names) {
    if (!new RegExp(`^${NAME}[0-9a-f]{24}$`).test(name)) continue;
    const path = join(scratchFolder, name);
    // Gone meanwhile, or somebody else's in a folder that others use: not ours to worry about.
    const facts = await lstat(path).catch(() => undefined);
    if (facts?.isFile() === true && facts.mtimeMs <= before) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function receive(
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<SpooledArchive> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  signal?.throwIfAborted();
  for await (const chunk of content) {
    signal?.throwIfAborted();
    if (sizeBytes + chunk.length > maxBytes) {
      throw refusal(
        'archive_too_large',
        `The archive has more than ${maxBytes} bytes: leave out what the module does not need.`,
      );
    }
    hash.update(chunk);
    await onScratch(() => writeAt(file, chunk, sizeBytes));
    sizeBytes += chunk.length;
  }
  signal?.throwIfAborted();
  if (sizeBytes === 0) throw refusal('archive_empty', 'The upload has no bytes: send the archive as the body.');
  return { file, sizeBytes, digest: hash.digest('hex'), content: () => read(file, sizeBytes) };
}

async function writeAt(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < chunk.length) {
    written += (await file.write(chunk, written, chunk.length - written, position + written)).bytesWritten;
  }
}

async function* read(file: FileHandle, sizeBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let position = 0; position < sizeBytes; ) {
    const buffer = new Uint8Array(Math.min(CHUNK_BYTES, sizeBytes - position));
    const at = position;
    const { bytesRead } = await onScratch(() => file.read(buffer, 0, buffer.length, at));
    if (bytesRead === 0) throw new ProviderError('unavailable', 'The scratch file of an upload was cut.');
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function onScratch<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    const code = systemCodeOf(cause) ?? 'failed';
    throw new ProviderError('unavailable', `The scratch folder for uploads can not be used: ${code}.`, { cause });
  }
}
