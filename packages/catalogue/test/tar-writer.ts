/** Writes tar archives, the bad ones too: a library refuses to write what these tests are about. */
import { gzipSync } from 'node:zlib';

export interface TarEntry {
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array | undefined;
  /** `0` unless told. */
  readonly type?: string | undefined;
  readonly linkName?: string | undefined;
  readonly mode?: number | undefined;
  /** What the header claims, where that is not the content's length. */
  readonly sizeBytes?: number | undefined;
  /** The size field's 12 bytes as they are. */
  readonly rawSize?: Uint8Array | undefined;
  readonly prefix?: string | undefined;
  readonly magic?: string | undefined;
  readonly badChecksum?: boolean | undefined;
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

export function tarHeader(entry: TarEntry): Uint8Array {
  const block = Buffer.alloc(512);
  block.set(bytesOf(entry.name).subarray(0, 100), 0);
  block.write(`${(entry.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  const sizeBytes = entry.sizeBytes ?? bytesOf(entry.content ?? '').length;
  block.write(`${sizeBytes.toString(8).padStart(11, '0')}\0`, 124);
  if (entry.rawSize !== undefined) block.set(entry.rawSize, 124);
  block.write('00000000000\0', 136);
  block.write(entry.type ?? '0', 156, 'latin1');
  block.write(entry.linkName ?? '', 157);
  block.write(entry.magic ?? 'ustar\u000000', 257, 'latin1');
  block.write(entry.prefix ?? '', 345);
  block.write('        ', 148);
  const sum = block.reduce((total, byte) => total + byte, 0) + (entry.badChecksum === true ? 1 : 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export function tarEntry(entry: TarEntry): Uint8Array {
  const content = bytesOf(entry.content ?? '');
  return Buffer.concat([tarHeader(entry), content, Buffer.alloc(-content.length & 511)]);
}

/** One attribute of a pax header, with the length that counts itself. */
export function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const restBytes = Buffer.byteLength(rest);
  let length = restBytes + 1;
  while (String(length).length + restBytes !== length) length = String(length).length + restBytes;
  return `${length}${rest}`;
}

export const paxEntry = (...records: readonly string[]): TarEntry => ({
  name: 'pax',
  type: 'x',
  content: records.join(''),
});

export const TAR_END = new Uint8Array(1024);

export function tar(entries: readonly TarEntry[], end: Uint8Array = TAR_END): Uint8Array {
  return Buffer.concat([...entries.map(tarEntry), end]);
}

export const tarGz = (entries: readonly TarEntry[], end?: Uint8Array): Uint8Array => gzipSync(tar(entries, end));
