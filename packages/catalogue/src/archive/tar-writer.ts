/**
 * Headers of the archive that is kept and served (PUBLISH-6): POSIX.1-1988 ustar where a name fits, and before it a
 * POSIX.1-2001 pax header with the one attribute `path` where it does not. Nothing of the upload's own headers is copied
 * but name, size and the executable bit, so that every reader of tar unpacks what was inspected.
 */
import type { EntryKind } from './entry-names.js';
import { BLOCK_BYTES } from './tar-header.js';

export interface PackedEntry {
  readonly parts: readonly string[];
  readonly kind: EntryKind;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
}

/** Two blocks of zeros end an archive. */
export const TAR_END: Uint8Array = new Uint8Array(2 * BLOCK_BYTES);

const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** Of the pax header itself, and of an entry whose name stands in one. No reader unpacks them. */
const PAX_NAME = 'PaxHeader';
const NAMED_BY_PAX = 'PaxEntry';

/** Midnight of 1 January 1980: the first instant that zip and FAT know, for those who pack it again. */
const MODIFIED_SECONDS = 315_532_800;

/** All header blocks of an entry; its content follows, then `paddingOf` zeros. */
export function tarHeaders({ parts, kind, sizeBytes, isExecutable }: PackedEntry): Uint8Array {
  const path = parts.join('/') + (kind === 'folder' ? '/' : '');
  const mode = kind === 'folder' || isExecutable ? 0o755 : 0o644;
  const type = kind === 'folder' ? '5' : '0';
  const name = splitName(path);
  if (name !== undefined) return header({ ...name, type, mode, sizeBytes });
  const record = paxRecord('path', path);
  return Buffer.concat([
    header({ name: PAX_NAME, prefix: '', type: 'x', mode: 0o644, sizeBytes: record.length }),
    record,
    new Uint8Array(paddingOf(record.length)),
    header({ name: NAMED_BY_PAX + (kind === 'folder' ? '/' : ''), prefix: '', type, mode, sizeBytes }),
  ]);
}

/** Bytes up to the next block. */
export const paddingOf = (sizeBytes: number): number => -sizeBytes & (BLOCK_BYTES - 1);

/** A name as the two fields of ustar hold it; undefined where they don't, or where readers disagree on the bytes. */
function splitName(path: string): { readonly name: string; readonly prefix: string } | undefined {
  if (!/^[\x20-\x7e]+$/.test(path)) return undefined;
  if (path.length <= NAME_BYTES) return { name: path, prefix: '' };
  // The name has a character at least, also in front of a folder's own slash.
  const at = path.lastIndexOf('/', Math.min(PREFIX_BYTES, path.length - 2));
  const [prefix, name] = [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
  return prefix === '' || name.length > NAME_BYTES ? undefined : { name, prefix };
}

interface HeaderFields {
  readonly name: string;
  readonly prefix: string;
  readonly type: string;
  readonly mode: number;
  readonly sizeBytes: number;
}

function header({ name, prefix, type, mode, sizeBytes }: HeaderFields): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  const put = (at: number, text: string) => block.set(new TextEncoder().encode(text), at);
  put(0, name);
  put(100, octal(mode, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(sizeBytes, 12));
  put(136, octal(MODIFIED_SECONDS, 12));
  // The checksum is taken with its own field as blanks.
  put(148, ' '.repeat(8));
  put(156, type);
  put(257, 'ustar\u000000');
  put(329, octal(0, 8));
  put(337, octal(0, 8));
  put(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 7)} `);
  return block;
}

/** Digits with a NUL behind them that fill the field. */
function octal(value: number, fieldBytes: number): string {
  return `${value.toString(8).padStart(fieldBytes - 1, '0')}\u0000`;
}

/** `27 path=modules/x/main.tf\n`: the length counts itself. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = new TextEncoder().encode(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([new TextEncoder().encode(String(length)), rest]);
}
