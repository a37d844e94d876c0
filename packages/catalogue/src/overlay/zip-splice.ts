/**
 * One more file in a zip archive without unpacking it: its entry goes between the last of the others and the directory,
 * which is rewritten after it. Archives beyond the plain format (zip64, several disks) are not changed.
 */

/** Where the directory of an archive lies. */
export interface ZipDirectory {
  readonly offset: number;
  readonly sizeBytes: number;
  readonly entries: number;
}

export interface ZipSplice {
  /** Goes before the directory. */
  readonly entry: Uint8Array;
  /** Goes after the directory, in place of the archive's end. */
  readonly end: Uint8Array;
}

/** The end record without its comment. */
export const END_BYTES = 22;
export const MAX_COMMENT_BYTES = 0xffff;
const END_SIGNATURE = 0x06054b50;
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;

/**
 * @param tail the last bytes of the archive: all of it, or `END_BYTES + MAX_COMMENT_BYTES`.
 * @returns undefined where it cannot be spliced.
 */
export function findZipDirectory(tail: Uint8Array, archiveBytes: number): ZipDirectory | undefined {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  for (let at = tail.byteLength - END_BYTES; at >= 0; at -= 1) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) !== tail.byteLength) continue;
    const entries = view.getUint16(at + 10, true);
    const sizeBytes = view.getUint32(at + 12, true);
    const offset = view.getUint32(at + 16, true);
    const oneDisk = view.getUint16(at + 4, true) === 0 && view.getUint16(at + 6, true) === 0;
    const isPlain = entries < MAX_16 - 1 && offset < MAX_32 && sizeBytes < MAX_32;
    const isWhole = offset + sizeBytes === archiveBytes - tail.byteLength + at;
    return oneDisk && isPlain && isWhole ? { offset, sizeBytes, entries } : undefined;
  }
  return undefined;
}

const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
/** First of January 1980: the archive's bytes depend on nothing but what is in it. */
const DOS_DATE = 0x0021;

/** The end of a directory of so many bytes that begins at `offset`. */
function endOf(offset: number, sizeBytes: number, entries: number): Uint8Array {
  const end = new Uint8Array(END_BYTES);
  const view = new DataView(end.buffer);
  view.setUint32(0, END_SIGNATURE, true);
  view.setUint16(8, entries, true);
  view.setUint16(10, entries, true);
  view.setUint32(12, sizeBytes, true);
  view.setUint32(16, offset, true);
  return end;
}

/** @param files their paths are ASCII. */
export function spliceZip(
  { offset, sizeBytes, entries }: ZipDirectory,
  files: readonly { readonly path: string; readonly content: Uint8Array }[],
): ZipSplice {
  const locals: Uint8Array[] = [];
  const centrals: Uint8Array[] = [];
  let at = offset;
  for (const { path, content } of files) {
    const { local, central } = entryOf(at, path, content);
    locals.push(local);
    centrals.push(central);
    at += local.byteLength;
  }
  const directory = Buffer.concat(centrals);
  const end = endOf(at, sizeBytes + directory.byteLength, entries + files.length);
  return { entry: Buffer.concat(locals), end: Buffer.concat([directory, end]) };
}

/** An entry at `offset`, and its record in the directory. */
function entryOf(offset: number, path: string, content: Uint8Array) {
  const name = new TextEncoder().encode(path);
  /** Version needed, flags, method (stored), time, date, CRC, both sizes, length of the name, none extra. */
  const common = (view: DataView, at: number) => {
    view.setUint16(at, 20, true);
    view.setUint16(at + 8, DOS_DATE, true);
    view.setUint32(at + 10, crc32(content), true);
    view.setUint32(at + 14, content.byteLength, true);
    view.setUint32(at + 18, content.byteLength, true);
    view.setUint16(at + 22, name.byteLength, true);
  };

  const entry = new Uint8Array(LOCAL_BYTES + name.byteLength + content.byteLength);
  const local = new DataView(entry.buffer);
  local.setUint32(0, 0x04034b50, true);
  common(local, 4);
  entry.set(name, LOCAL_BYTES);
  entry.set(content, LOCAL_BYTES + name.byteLength);

  const record = new Uint8Array(CENTRAL_BYTES + name.byteLength);
  const central = new DataView(record.buffer);
  central.setUint32(0, 0x02014b50, true);
  // Made by Unix: the attributes below are a file's mode.
  central.setUint16(4, (3 << 8) | 20, true);
  common(central, 6);
  central.setUint32(38, (0o100644 << 16) >>> 0, true);
  central.setUint32(42, offset, true);
  record.set(name, CENTRAL_BYTES);
  return { local: entry, central: record };
}

/** CRC-32 of zip archives (ISO 3309). */
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
