/** The port between receiving an upload and keeping it: reads bytes that are not inspected yet (PUBLISH-2). */
import type { ArchiveFormat, ModuleArchiveFacts } from '@postern/ports';
import { fileOf } from '../archive/archive-file.js';
import type { ArchiveLimits } from '../archive/archive-limits.js';
import { inspectArchive } from '../archive/inspect-archive.js';
import { checkContents } from './contents-size.js';
import type { ParserMemory } from './parser-memory.js';
import { readModule } from './read-module.js';

export interface UploadToRead {
  /** A descriptor of the upload, open for reading. */
  readonly source: number;
  readonly sourceBytes: number;
  /** A descriptor of an empty file, open for writing: receives the archive that is kept and served. */
  readonly target: number;
  /** What the publisher says it is. */
  readonly format: ArchiveFormat | undefined;
  /** Of the module, for its root. */
  readonly name: string;
  readonly limits: ArchiveLimits;
}

export interface ReadUpload {
  /** Of what was written to `target`. */
  readonly archive: ModuleArchiveFacts;
  /** JSON of what the module declares: root, submodules and examples. */
  readonly contents: string;
}

export interface ModuleReader {
  /**
   * Judges an upload, reads what its module declares, and packs it again. Neither descriptor is used any more once this
   * settles: they are closed then.
   *
   * @throws ModuleArchiveError where the upload is refused; ProviderError `unavailable`, `misconfigured`.
   */
  read(upload: UploadToRead, signal?: AbortSignal): Promise<ReadUpload>;
}

/** The default: reads in this thread. */
export const inThreadReader: ModuleReader = { read: (upload, signal) => readUpload(upload, signal) };

/**
 * Reads in this thread: whatever an upload costs, other work of the process waits for.
 *
 * @param parserMemory bounds the parser, see `loadHclParser`.
 */
export async function readUpload(
  upload: UploadToRead,
  signal?: AbortSignal,
  parserMemory?: ParserMemory,
): Promise<ReadUpload> {
  const { source, sourceBytes, target, format, name, limits } = upload;
  const archive = { file: fileOf(source), sizeBytes: sourceBytes };
  const inspected = await inspectArchive(archive, format, limits, signal);
  const contents = JSON.stringify(await readModule(inspected.files, name, signal, parserMemory));
  checkContents(contents);
  return { archive: await inspected.repack(fileOf(target)), contents };
}
