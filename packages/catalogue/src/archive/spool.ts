/**
 * The upload on its way in: in a file of its own, hashed and bounded, so that memory holds a chunk of it and its digest is
 * known before anything is kept.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpochMillis } from '@postern/ports';
import { onScratch, writeAt } from './archive-file.js';
import { refusal } from './refuse.js';

export interface SpooledArchive {
  readonly file: FileHandle;
  readonly sizeBytes: number;
  /** SHA-256, lower-case hex. */
  readonly digest: string;
}

const NAME = 'postern-upload-';

/**
 * Receives an upload, works on it, and removes it however that ends.
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
  return withScratchFile(scratchFolder, async (file) => work(await receive(file, content, maxBytes, signal)));
}

/**
 * Works with a file and removes it however that ends. Where the system lets a file be removed while it is open, it loses
 * its name before its first byte: of a killed process stays an empty file at most, for `sweepSpooled`.
 *
 * @throws what `work` throws; ProviderError `unavailable` where the scratch folder fails.
 */
export async function withScratchFile<T>(scratchFolder: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const path = join(scratchFolder, `${NAME}${randomBytes(12).toString('hex')}`);
  const file = await onScratch(() => open(path, 'wx+', 0o600));
  const removedAtOnce = await rm(path).then(
    () => true,
    () => false,
  );
  try {
    return await work(file);
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
        `the archive has more than ${maxBytes} bytes: leave out what the module does not need`,
      );
    }
    hash.update(chunk);
    await writeAt(file, chunk, sizeBytes);
    sizeBytes += chunk.length;
  }
  signal?.throwIfAborted();
  if (sizeBytes === 0) throw refusal('archive_empty', 'the upload has no bytes: send the archive as the body');
  return { file, sizeBytes, digest: hash.digest('hex') };
}
