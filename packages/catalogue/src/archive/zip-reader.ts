/** Entries of a zip archive, read by yauzl from a file and held against what zip-layout.ts asks. */
import { crc32 } from 'node:zlib';
import { isModuleArchiveError } from '@postern/ports';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { systemCodeOf } from '../system-code.js';
import { type ArchiveEntry, noContent } from './archive-entry.js';
import type { ArchiveFile } from './archive-file.js';
import type { ArchiveLimits } from './archive-limits.js';
import type { ExpansionGuard } from './expansion.js';
import { entryRefusal, refusal } from './refuse.js';
import { checkEntry, checkLayout, findDirectory, unsound, type ZipEntry } from './zip-layout.js';

const FILE_TYPE_MASK = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;
const OWNER_EXECUTES = 0o100;

/**
 * Reads entry after entry; the whole directory is judged before the first.
 *
 * @throws ModuleArchiveError `archive_unreadable`, `archive_too_many_entries`, `archive_expands_too_much`,
 *   `archive_entry_link`, `archive_entry_kind`.
 */
export async function* readZip(
  file: ArchiveFile,
  sizeBytes: number,
  guard: ExpansionGuard,
  limits: Pick<ArchiveLimits, 'maxEntries'>,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  const zip = await ofZip(() => fromFdPromise(file.fd, { autoClose: false, decodeStrings: false }));
  // yauzl reports a failed entry to the iteration too; without a listener Node would end the process.
  zip.on('error', () => undefined);
  const entries = await ofZip(() => readDirectory(zip, file, sizeBytes, limits.maxEntries));
  guard.check(entries.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0));
  for (const each of entries) {
    const kind = kindOf(each);
    const content = kind === 'folder' ? noContent() : contentOf(zip, each.entry, guard);
    const isExecutable = ((each.entry.externalFileAttributes >>> 16) & OWNER_EXECUTES) !== 0;
    yield { rawName: each.rawName, kind, sizeBytes: each.entry.uncompressedSize, isExecutable, content };
  }
}

async function readDirectory(
  zip: ZipFile,
  file: ArchiveFile,
  sizeBytes: number,
  maxEntries: number,
): Promise<readonly ZipEntry[]> {
  if (zip.entryCount > maxEntries) {
    throw refusal('archive_too_many_entries', `the archive has more than ${maxEntries} entries: leave files out`);
  }
  const directory = await findDirectory(file, sizeBytes, zip.comment.length);
  const entries: ZipEntry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(await checkEntry(zip, entry));
  checkLayout(entries, directory);
  return entries;
}

/** Unix modes are looked at whatever system the archive claims to be of: unpackers differ on when they believe them. */
function kindOf({ entry, rawName }: ZipEntry): 'file' | 'folder' {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  const name = new TextDecoder().decode(rawName);
  if (type === LINK)
    throw entryRefusal('archive_entry_link', name, 'symbolic link: pack the file itself (zip without -y)');
  const isFolder = rawName.at(-1) === 0x2f;
  if (isFolder ? type !== 0 && type !== FOLDER : type !== 0 && type !== REGULAR) {
    throw entryRefusal('archive_entry_kind', name, 'not a file or folder: leave out devices and pipes');
  }
  if (isFolder && entry.uncompressedSize !== 0) throw unsound('a folder has content');
  return isFolder ? 'folder' : 'file';
}

async function* contentOf(
  zip: ZipFile,
  entry: Entry,
  guard: ExpansionGuard,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = await ofZip(() => zip.openReadStreamPromise(entry));
  let checksum = 0;
  try {
    for await (const chunk of stream) {
      // openReadStream gives bytes: no encoding is set on it.
      const bytes: Uint8Array = chunk;
      guard.expanded(bytes.length);
      checksum = crc32(bytes, checksum);
      yield bytes;
    }
  } catch (error) {
    throw ofArchive(error);
  } finally {
    stream.destroy();
  }
  if (checksum !== entry.crc32) throw unsound('an entry’s checksum is wrong');
}

async function ofZip<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw ofArchive(error);
  }
}

/** What yauzl and zlib throw is about the archive, except where the file itself could not be read. */
function ofArchive(error: unknown): unknown {
  const code = systemCodeOf(error);
  const ofSystem = code !== undefined && !code.startsWith('Z_') && !code.startsWith('ERR_');
  return isModuleArchiveError(error) || ofSystem ? error : unsound('it is damaged, cut, or not a zip archive', error);
}
