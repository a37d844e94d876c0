/**
 * Whether a zip archive is one archive: the central directory, the local headers and the data tell the same story and fill
 * the file without overlap or gap. Some readers follow the directory, others the local headers; where the two differ, the
 * publisher sees one content and a client unpacks another.
 */
import type { Entry, LocalFileHeader, ZipFile } from 'yauzl';
import type { ArchiveFile } from './archive-file.js';
import { MAX_PATH_BYTES } from './archive-limits.js';
import { refusal } from './refuse.js';

/** What of an entry is kept until all entries are known. */
export interface ZipEntry {
  readonly entry: Entry;
  readonly rawName: Uint8Array;
  readonly start: number;
  readonly dataStart: number;
  readonly dataEnd: number;
  /** A descriptor of sizes follows the data. */
  readonly hasDescriptor: boolean;
}

const DIRECTORY_END_BYTES = 22;
const ZIP64_LOCATOR_BYTES = 20;
const DESCRIPTOR_FLAG = 0x8;
/** Traditional and strong encryption, and an encrypted directory. */
const ENCRYPTION_FLAGS = 0x1 | 0x40 | 0x2000;
const ZIP64_FIELD = 0x0001;
const UNICODE_PATH_FIELD = 0x7075;

/** Where the central directory lies, from the record at the end of the file. */
export interface Directory {
  readonly start: number;
  readonly end: number;
}

/** @throws ModuleArchiveError `archive_unreadable` for zip64, which an archive of this size has no use for. */
export async function findDirectory(file: ArchiveFile, sizeBytes: number, commentBytes: number): Promise<Directory> {
  const end = sizeBytes - DIRECTORY_END_BYTES - commentBytes;
  const from = Math.max(0, end - ZIP64_LOCATOR_BYTES);
  const bytes = new Uint8Array(end + DIRECTORY_END_BYTES - from);
  await file.read(bytes, 0, bytes.length, from);
  const view = new DataView(bytes.buffer);
  if (end - from === ZIP64_LOCATOR_BYTES && view.getUint32(0, true) === 0x07064b50) throw unsound('it uses zip64');
  return { start: view.getUint32(end - from + 16, true), end };
}

/** @throws ModuleArchiveError `archive_unreadable` for an entry that is encrypted, packed unusually, or contradicts itself. */
export async function checkEntry(zip: ZipFile, entry: Entry): Promise<ZipEntry> {
  // A longer name is refused as a path; it is not even kept here.
  if (entry.fileNameLength > MAX_PATH_BYTES) throw unsound(`an entry’s name has more than ${MAX_PATH_BYTES} bytes`);
  if ((entry.generalPurposeBitFlag & ENCRYPTION_FLAGS) !== 0) throw unsound('it is encrypted');
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    throw unsound('an entry is neither stored nor deflated');
  for (const { id, data } of entry.extraFields) {
    if (id === ZIP64_FIELD) throw unsound('it uses zip64');
    if (id === UNICODE_PATH_FIELD && !entry.fileNameRaw.equals(data.subarray(5)))
      throw unsound('an entry has two names');
  }
  const local = await zip.readLocalFileHeaderPromise(entry);
  const hasDescriptor = (entry.generalPurposeBitFlag & DESCRIPTOR_FLAG) !== 0;
  if (!agrees(entry, local, hasDescriptor))
    throw unsound('its directory and an entry’s own header contradict each other');
  return {
    entry,
    rawName: entry.fileNameRaw,
    start: entry.relativeOffsetOfLocalHeader,
    dataStart: local.fileDataStart,
    dataEnd: local.fileDataStart + entry.compressedSize,
    hasDescriptor,
  };
}

function agrees(entry: Entry, local: LocalFileHeader, hasDescriptor: boolean): boolean {
  if (!entry.fileNameRaw.equals(local.fileName)) return false;
  if (entry.compressionMethod !== local.compressionMethod) return false;
  if (entry.generalPurposeBitFlag !== local.generalPurposeBitFlag) return false;
  const same = (central: number, own: number) => central === own || (hasDescriptor && own === 0);
  return (
    same(entry.crc32, local.crc32) &&
    same(entry.compressedSize, local.compressedSize) &&
    same(entry.uncompressedSize, local.uncompressedSize)
  );
}

/**
 * Local headers and data, then the directory, then its end: nothing before, between or behind that belongs to no entry.
 *
 * @throws ModuleArchiveError `archive_unreadable`.
 */
export function checkLayout(entries: readonly ZipEntry[], directory: Directory): void {
  let end = 0;
  let descriptorMayFollow = false;
  for (const each of [...entries].sort((left, right) => left.start - right.start)) {
    checkGap(each.start - end, descriptorMayFollow);
    end = each.dataEnd;
    descriptorMayFollow = each.hasDescriptor;
  }
  checkGap(directory.start - end, descriptorMayFollow);
  const recordBytes = ({ entry }: ZipEntry) =>
    46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
  const directoryBytes = entries.reduce((sum, each) => sum + recordBytes(each), 0);
  if (directory.start + directoryBytes !== directory.end)
    throw unsound('its directory has another length than it says');
}

/** A descriptor has 12 bytes, or 16 with its signature. */
function checkGap(bytes: number, descriptorMayFollow: boolean): void {
  if (descriptorMayFollow ? bytes !== 12 && bytes !== 16 : bytes !== 0) throw unsound('entries overlap or leave gaps');
}

export function unsound(what: string, cause?: unknown): Error {
  return refusal('archive_unreadable', `the zip archive cannot be read: ${what}; pack the module again`, cause);
}
