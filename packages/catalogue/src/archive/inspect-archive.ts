/**
 * Inspects an upload (PUBLISH-2): its format is detected from its first bytes, every entry checked, and the files that describe
 * the module kept. Everything else is unpacked too, to nowhere: only so are its size and its checksums known. What passed is
 * packed again (PUBLISH-6).
 */
import { type ArchiveFormat, isModuleArchiveError, type ModuleArchiveFacts, ProviderError } from '@postern/ports';
import type { ArchiveEntry } from './archive-entry.js';
import { type ArchiveFile, onScratch, readAll } from './archive-file.js';
import type { ArchiveLimits } from './archive-limits.js';
import { ByteReader } from './byte-reader.js';
import { createEntryNames } from './entry-names.js';
import { parseEntryPath } from './entry-path.js';
import { createExpansionGuard } from './expansion.js';
import { gunzip } from './gunzip.js';
import { keepFiles, type ModuleFiles } from './module-files.js';
import { refusal } from './refuse.js';
import { createRepacker } from './repack.js';
import { readTar } from './tar-reader.js';
import { readZip } from './zip-reader.js';

export interface InspectedArchive {
  readonly files: ModuleFiles;
  /** Packs what was inspected into `target`. @throws ProviderError `unavailable` */
  repack(target: ArchiveFile): Promise<ModuleArchiveFacts>;
}

export interface UploadedArchive {
  readonly file: ArchiveFile;
  readonly sizeBytes: number;
}

/**
 * Judges an archive.
 *
 * @throws ModuleArchiveError with an `archive_` code, or `module_too_large` for configuration over its limits.
 */
export async function inspectArchive(
  { file, sizeBytes }: UploadedArchive,
  said: ArchiveFormat | undefined,
  limits: ArchiveLimits,
  signal: AbortSignal | undefined,
): Promise<InspectedArchive> {
  const format = await formatOf(file, said);
  const entries = () => {
    const guard = createExpansionGuard(sizeBytes, limits);
    return format === 'zip'
      ? readZip(file, sizeBytes, guard, limits)
      : readTar(new ByteReader(gunzip(readAll(file, sizeBytes), sizeBytes, guard)));
  };
  const ofFile = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (isModuleArchiveError(error) || signal?.aborted === true || error instanceof ProviderError) throw error;
      const message = 'the upload could not be read back from the scratch folder';
      throw new ProviderError('unavailable', message, { cause: error });
    }
  };
  return {
    files: await ofFile(readEntries(entries(), limits, signal)),
    repack: (target) => ofFile(repackEntries(entries(), target, signal)),
  };
}

async function formatOf(file: ArchiveFile, said: ArchiveFormat | undefined): Promise<ArchiveFormat> {
  const head = new Uint8Array(4);
  await onScratch(() => file.read(head, 0, 4, 0));
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  // A zip archive may have anything before it; one that has is not what it seems to its first reader.
  const isZip =
    head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6));
  if (!isGzip && !isZip) {
    throw refusal(
      'archive_unreadable',
      'the upload is neither a .tar.gz nor a .zip archive: pack the module’s folder as one',
    );
  }
  const format = isZip ? 'zip' : 'tar.gz';
  if (said !== undefined && said !== format) {
    throw refusal('archive_unreadable', `the upload is a .${format} archive, not a .${said}: correct its content type`);
  }
  return format;
}

async function readEntries(
  entries: AsyncIterable<ArchiveEntry>,
  limits: ArchiveLimits,
  signal: AbortSignal | undefined,
): Promise<ModuleFiles> {
  const names = createEntryNames();
  const keeper = keepFiles(limits);
  let count = 0;
  for await (const entry of entries) {
    signal?.throwIfAborted();
    count += 1;
    if (count > limits.maxEntries) {
      throw refusal(
        'archive_too_many_entries',
        `the archive has more than ${limits.maxEntries} entries: leave files out`,
      );
    }
    const parts = parseEntryPath(entry.rawName);
    if (parts.length === 0) {
      if (entry.kind === 'file')
        throw refusal('archive_entry_path', 'a file has the name of the archive’s root: pack again');
      continue;
    }
    names.add(parts, entry.kind);
    if (entry.kind === 'file') await keeper.take(parts, entry);
    // Unread content is read over by the tar reader; a zip's would never be checked.
    for await (const _ of entry.content) signal?.throwIfAborted();
  }
  const files = keeper.files();
  if (files.fileCount === 0) throw refusal('archive_empty', 'the archive holds no file: pack the module’s folder');
  return files;
}

/** The names were judged, and stay what they are. */
async function repackEntries(
  entries: AsyncIterable<ArchiveEntry>,
  target: ArchiveFile,
  signal: AbortSignal | undefined,
): Promise<ModuleArchiveFacts> {
  const repacker = createRepacker(target);
  try {
    for await (const entry of entries) {
      signal?.throwIfAborted();
      const parts = parseEntryPath(entry.rawName);
      if (parts.length > 0) await repacker.add({ ...entry, parts });
    }
    return await repacker.end();
  } finally {
    repacker.close();
  }
}
