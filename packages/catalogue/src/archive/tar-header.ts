/**
 * One header block of a tar archive (POSIX.1-1988 ustar, POSIX.1-2001 pax, GNU long names, and nothing else). What readers
 * of tar are known to read differently is refused: what the publisher sees is what every client unpacks.
 */
import { refusal } from './refuse.js';

export const BLOCK_BYTES = 512;

/** Type flags that are understood; all others are refused by name in `tar-reader.ts`. */
export interface TarHeader {
  readonly type: string;
  readonly name: Uint8Array;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
}

/** Whether a block holds only zeros: two of them end an archive. */
export const isZeroBlock = (block: Uint8Array): boolean => block.every((byte) => byte === 0);

/** @throws ModuleArchiveError `archive_unreadable` for a wrong checksum, a size that is no number, or an unknown format. */
export function parseTarHeader(block: Uint8Array): TarHeader {
  if (octal(block.subarray(148, 156)) !== checksumOf(block)) throw damaged('a header’s checksum is wrong');
  const magic = latin1(block.subarray(257, 265));
  const isPosix = magic === 'ustar\u000000';
  if (!isPosix && magic !== 'ustar  \u0000' && magic !== '\u0000'.repeat(8))
    throw damaged('a header’s format is unknown');
  // Other writers keep times, a rest of the name, or a second magic there, and readers differ on whose field it is.
  const end = isPosix ? block.subarray(500) : block.subarray(345);
  if (!end.every((byte) => byte === 0)) throw damaged('a header holds fields of another format of tar');
  const flag = block[156] ?? 0;
  return {
    type: flag === 0 ? '0' : String.fromCharCode(flag),
    name: isPosix
      ? joined(untilNul(block.subarray(345, 500)), untilNul(block.subarray(0, 100)))
      : untilNul(block.subarray(0, 100)),
    sizeBytes: sizeOf(block.subarray(124, 136)),
    isExecutable: ((octal(block.subarray(100, 108)) ?? 0) & 0o100) !== 0,
  };
}

export function damaged(what: string): Error {
  return refusal('archive_unreadable', `the tar archive cannot be read: ${what}; pack the module again`);
}

export function untilNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

function joined(prefix: Uint8Array, name: Uint8Array): Uint8Array {
  return prefix.length === 0 ? name : Uint8Array.of(...prefix, 0x2f, ...name);
}

/** Octal digits, or GNU's base 256 where the highest bit is set. */
function sizeOf(field: Uint8Array): number {
  const first = field[0] ?? 0;
  if (first < 0x80) {
    const size = octal(field);
    if (size === undefined) throw damaged('an entry’s size is no number');
    return size;
  }
  // 0xff begins a negative number; more than 52 bits are no size of anything.
  if (first !== 0x80) throw damaged('an entry’s size is negative');
  const size = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  if (!Number.isSafeInteger(size)) throw damaged('an entry’s size is too large');
  return size;
}

/** Digits between spaces or NULs, as writers pad them; empty is 0. */
function octal(field: Uint8Array): number | undefined {
  const match = /^ *([0-7]*) *$/.exec(latin1(field).replaceAll('\u0000', ' '));
  return match === null ? undefined : Number.parseInt(match[1] || '0', 8);
}

function checksumOf(block: Uint8Array): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0);
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
