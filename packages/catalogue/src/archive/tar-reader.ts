/** Entries of a tar archive from a stream of its bytes. Strict by intent: see tar-header.ts. */
import { type ArchiveEntry, noContent } from './archive-entry.js';
import type { ByteReader } from './byte-reader.js';
import { parsePax } from './pax-records.js';
import { entryRefusal } from './refuse.js';
import { BLOCK_BYTES, damaged, isZeroBlock, parseTarHeader, type TarHeader, untilNul } from './tar-header.js';

/** Of a long name or a pax header: names have at most 512 bytes, other attributes are small. */
const MAX_ATTRIBUTE_BYTES = 64 * 1024;

/** What attribute headers said of the entry that follows them. */
interface Overrides {
  name: Uint8Array | undefined;
  sizeBytes: number | undefined;
  headers: number;
}

const noOverrides = (): Overrides => ({ name: undefined, sizeBytes: undefined, headers: 0 });

/**
 * Reads entry after entry, to the very end of the stream.
 *
 * @throws ModuleArchiveError `archive_unreadable`, `archive_entry_link`, `archive_entry_kind`.
 */
export async function* readTar(reader: ByteReader): AsyncGenerator<ArchiveEntry, void, undefined> {
  let overrides = noOverrides();
  for (;;) {
    const block = await reader.exactly(BLOCK_BYTES);
    if (block === undefined) throw damaged('it ends too early');
    if (isZeroBlock(block)) break;
    const header = parseTarHeader(block);
    if (await readAttributes(reader, header, overrides)) continue;

    const entry = toEntry(header, overrides);
    overrides = noOverrides();
    const rest = { bytes: entry.sizeBytes };
    yield { ...entry, content: entry.kind === 'folder' ? noContent() : contentOf(reader, rest) };
    for await (const _ of contentOf(reader, rest)) {
      // What the consumer left.
    }
    const padding = -entry.sizeBytes & (BLOCK_BYTES - 1);
    if (padding > 0 && (await reader.exactly(padding)) === undefined) throw damaged('it ends inside a file');
  }
  if (overrides.headers > 0) throw damaged('attributes without an entry stand at its end');
  await expectZeros(reader);
}

/** Reads a header that is about the next one; false for any other. */
async function readAttributes(reader: ByteReader, header: TarHeader, overrides: Overrides): Promise<boolean> {
  const { type, sizeBytes } = header;
  if (type !== 'x' && type !== 'g' && type !== 'L' && type !== 'K') return false;
  if (type === 'K') throw linkRefusal(header.name);
  if (sizeBytes > MAX_ATTRIBUTE_BYTES) throw damaged('an entry has more than 64 KiB of attributes');
  const padded = sizeBytes + (-sizeBytes & (BLOCK_BYTES - 1));
  const bytes = (await reader.exactly(padded))?.subarray(0, sizeBytes);
  if (bytes === undefined) throw damaged('it ends inside a header');
  if (type === 'g') {
    const { path, sizeBytes: size } = parsePax(bytes);
    // `git archive` writes a comment here. A name for all entries is no name.
    if (path !== undefined || size !== undefined) throw damaged('one name or size is given to all entries');
    return true;
  }
  // Readers disagree on which of two attribute headers of one entry holds.
  overrides.headers += 1;
  if (overrides.headers > 1) throw damaged('an entry has two sets of attributes');
  if (type === 'L') overrides.name = untilNul(bytes);
  else ({ path: overrides.name, sizeBytes: overrides.sizeBytes } = parsePax(bytes));
  return true;
}

function toEntry(header: TarHeader, overrides: Overrides): Omit<ArchiveEntry, 'content'> {
  const rawName = overrides.name ?? header.name;
  const sizeBytes = overrides.sizeBytes ?? header.sizeBytes;
  // Before ustar a folder was a file whose name ends with a slash.
  const isFolder = header.type === '5' || rawName.at(-1) === 0x2f;
  switch (header.type) {
    case '0':
    case '5':
      if (isFolder && sizeBytes !== 0) throw damaged('a folder has content');
      return { rawName, sizeBytes, kind: isFolder ? 'folder' : 'file', isExecutable: header.isExecutable };
    case '1':
    case '2':
      throw linkRefusal(rawName);
    default:
      throw entryRefusal('archive_entry_kind', textOf(rawName), 'not a file or folder: leave out devices and pipes');
  }
}

function linkRefusal(rawName: Uint8Array): Error {
  return entryRefusal('archive_entry_link', textOf(rawName), 'link: pack the file itself (tar --dereference)');
}

const textOf = (rawName: Uint8Array): string => new TextDecoder().decode(rawName);

async function* contentOf(reader: ByteReader, rest: { bytes: number }): AsyncGenerator<Uint8Array, void, undefined> {
  while (rest.bytes > 0) {
    const chunk = await reader.upTo(rest.bytes);
    if (chunk === undefined) throw damaged('it ends inside a file');
    rest.bytes -= chunk.length;
    yield chunk;
  }
}

/** Entries behind the end are seen by some readers only. */
async function expectZeros(reader: ByteReader): Promise<void> {
  for (let chunk = await reader.upTo(65_536); chunk !== undefined; chunk = await reader.upTo(65_536)) {
    if (!isZeroBlock(chunk)) throw damaged('something stands behind its end');
  }
}
