/**
 * Inspects an upload (PUBLISH-2): its format is detected from its first bytes, every entry checked, and the files that describe the module kept.
 * Everything else is unpacked too, to nowhere: only so are its size and its checksums known.
 */
import { type ArchiveFormat, isModuleArchiveError, ProviderError } from '@postern/ports';
import type { ArchiveEntry } from './archive-entry.js';
import type { ArchiveLimits } from './archive-limits.js';
import { ByteReader } from './byte-reader.js';
import { createEntryNames } from './entry-names.js';
import { parseEntryPath } from './entry-path.js';
import { createExpansionGuard } from './expansion.js';
import { gunzip } from './gunzip.js';
import { keepFiles, type ModuleFiles } from './module-files.js';
import { refusal } from './refuse.js';
import type { SpooledArchive } from './spool.js';
import { readTar } from './tar-reader.js';
import { readZip } from './zip-reader.js';

export interface InspectedArchive {
  readonly format: ArchiveFormat;
  readonly files: ModuleFiles;
}

/**
 * Judges an archive.
 *
 * @throws ModuleArchiveError with an `archive_` code, or `module_too_large` for configuration over its limits.
 */
export async function inspectArchive(
  archive: SpooledArchive,
  said: ArchiveFormat | undefined,
  limits: ArchiveLimits,
  signal: AbortSignal | undefined,
): Promise<InspectedArchive> {
  const format = await formatOf(archive, said);
  const guard = createExpansionGuard(archive.sizeBytes, limits);
  const entries =
    format === 'zip'
      ? readZip(archive.file, archive.sizeBytes, guard, limits)
      : readTar(new ByteReader(gunzip(archive.content(), archive.sizeBytes, guard)));
  try {
    return { format, files: await readEntries(entries, limits, signal) };
  } catch (error) {
    if (isModuleArchiveError(error) || signal?.aborted === true || error instanceof ProviderError) throw error;
    throw new ProviderError('unavailable', 'The upload could not be read back from the scratch folder.', {
      cause: error,
    });
  }
}

async function formatOf(archive: SpooledArchive, said: ArchiveFormat | undefined): Promise<ArchiveFormat> {
  const head = new Uint8Array(4);
  await archive.file.read(head, 0, 4, 0);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  // A zip archive may have anything before it; one that has is not what it seems to its first reader.
  const isZip =
    head[0] === 0x50 && head[1] === 0x4b && ((head[2] === 3 && head[3] === 4) || (head[2] === 5 && head[3] === 6));
  if (!isGzip && !isZip) {
    throw refusal(
      'archive_unreadable',
      'The upload is neither a .tar.gz nor a .zip archive: pack the module’s folder as one.',
    );
  }
  const format = isZip ? 'zip' : 'tar.gz';
  if (said !== undefined && said !== format) {
    throw refusal(
      'archive_unreadable',
      `The upload is a .${format} archive, not a .${said} as was said: name its format.`,
    );
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
        `The archive has more than ${limits.maxEntries} entries: leave files out.`,
      );
    }
    const parts = parseEntryPath(entry.rawName);
    if (parts.length === 0) {
      if (entry.kind === 'file')
        throw refusal('archive_entry_path', 'A file has the name of the archive’s root: pack again.');
      continue;
    }
    names.add(parts, entry.kind);
    if (entry.kind === 'file') await keeper.take(parts, entry);
    // Unread content is read over by the tar reader; a zip's would never be checked.
    for await (const _ of entry.content) signal?.throwIfAborted();
  }
  const files = keeper.files();
  if (files.fileCount === 0) throw refusal('archive_empty', 'The archive holds no file: pack the module’s folder.');
  return files;
}
