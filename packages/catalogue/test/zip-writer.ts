/** Writes zip archives, the bad ones too: every field of both headers can be made to lie. */
import { crc32, deflateRawSync } from 'node:zlib';

/** The fields that stand in an entry's own header and again in the directory. */
interface ZipFields {
  readonly name: string | Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly sizeBytes: number;
}

export interface ZipEntry {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array | undefined;
  readonly stored?: boolean | undefined;
  /** Unix mode, type included. */
  readonly mode?: number | undefined;
  /** What both headers say. */
  readonly both?: Partial<ZipFields> | undefined;
  /** What only the entry's own header says. */
  readonly local?: Partial<ZipFields> | undefined;
  /** What only the directory says. */
  readonly central?: (Partial<ZipFields> & { readonly offset?: number | undefined }) | undefined;
  /** Of the directory. */
  readonly extra?: Uint8Array | undefined;
  /** Between this entry's data and what follows. */
  readonly gap?: Uint8Array | undefined;
  readonly descriptor?: boolean | undefined;
}

export interface ZipEnd {
  readonly entries?: number | undefined;
  readonly before?: Uint8Array | undefined;
  readonly after?: Uint8Array | undefined;
  readonly zip64?: boolean | undefined;
}

export function zip(entries: readonly ZipEntry[], end: ZipEnd = {}): Uint8Array {
  const files: Uint8Array[] = [end.before ?? new Uint8Array(0)];
  const directory: Uint8Array[] = [];
  let offset = files[0]?.length ?? 0;
  for (const entry of entries) {
    const content = bytesOf(entry.content ?? '');
    const packed = entry.stored === true ? content : deflateRawSync(content);
    const fields: ZipFields = {
      name: entry.name,
      flags: 0x800 | (entry.descriptor === true ? 8 : 0),
      method: entry.stored === true ? 0 : 8,
      crc: crc32(content),
      packedBytes: packed.length,
      sizeBytes: content.length,
      ...entry.both,
    };
    const empty = entry.descriptor === true ? { crc: 0, packedBytes: 0, sizeBytes: 0 } : {};
    const file = Buffer.concat([
      header(0x04034b50, { ...fields, ...empty, ...entry.local }),
      bytesOf(entry.local?.name ?? fields.name),
      packed,
      entry.descriptor === true
        ? words(0x08074b50, fields.crc, fields.packedBytes, fields.sizeBytes)
        : new Uint8Array(0),
      entry.gap ?? new Uint8Array(0),
    ]);
    directory.push(centralOf(entry, { ...fields, ...entry.central }, entry.central?.offset ?? offset));
    files.push(file);
    offset += file.length;
  }
  const central = Buffer.concat(directory);
  const count = end.entries ?? entries.length;
  const zip64 = end.zip64 === true ? zip64End(count, central.length, offset) : new Uint8Array(0);
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(count, 8);
  last.writeUInt16LE(count, 10);
  last.writeUInt32LE(central.length, 12);
  last.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, central, zip64, last, end.after ?? new Uint8Array(0)]);
}

function centralOf(entry: ZipEntry, fields: ZipFields, offset: number): Uint8Array {
  const name = bytesOf(fields.name);
  const extra = entry.extra ?? new Uint8Array(0);
  const local = header(0x02014b50, fields);
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE((3 << 8) | 20, 4);
  record.set(local.subarray(4, 30), 6);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
  record.writeUInt32LE(offset, 42);
  return Buffer.concat([record, name, extra]);
}

function header(signature: number, fields: ZipFields): Buffer {
  const record = Buffer.alloc(30);
  record.writeUInt32LE(signature, 0);
  record.writeUInt16LE(20, 4);
  record.writeUInt16LE(fields.flags, 6);
  record.writeUInt16LE(fields.method, 8);
  record.writeUInt32LE(fields.crc, 14);
  record.writeUInt32LE(fields.packedBytes, 18);
  record.writeUInt32LE(fields.sizeBytes, 22);
  record.writeUInt16LE(bytesOf(fields.name).length, 26);
  return record;
}

function zip64End(count: number, directoryBytes: number, directoryStart: number): Uint8Array {
  const record = Buffer.alloc(76);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(directoryBytes), 40);
  record.writeBigUInt64LE(BigInt(directoryStart), 48);
  record.writeUInt32LE(0x07064b50, 56);
  record.writeBigUInt64LE(BigInt(directoryStart + directoryBytes), 64);
  record.writeUInt32LE(1, 72);
  return record;
}

function words(...values: readonly number[]): Uint8Array {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, index * 4);
  return buffer;
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;
