/** Rows of the database as records of the port, and text as the bytes that are stored. */
import type { StoredRecord } from '@postern/ports';

/** UTF-8 bytes of well-formed text. */
export function textToBytes(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/** Text of UTF-8 bytes. */
export function bytesToText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The column `key`. */
export function keyOf(row: unknown): string {
  return bytesToText(bytesOf(row, 'key'));
}

/** The column `version` as the port's text; undefined for no row. */
export function versionOf(row: unknown): string | undefined {
  return row === undefined ? undefined : String(integerOf(row, 'version'));
}

/** A row with the columns value, version and expires_at. */
export function recordOf(key: string, row: unknown): StoredRecord {
  const expiresAt = column(row, 'expires_at');
  return {
    key,
    value: bytesToText(bytesOf(row, 'value')),
    version: String(integerOf(row, 'version')),
    expiresAt: expiresAt === null ? undefined : integerOf(row, 'expires_at'),
  };
}

/** An integer column. */
export function integerOf(row: unknown, name: string): number {
  const value = column(row, name);
  if (typeof value !== 'number') throw new TypeError(`column ${name} is not an integer`);
  return value;
}

/** A BLOB column. */
export function bytesOf(row: unknown, name: string): Uint8Array {
  const value = column(row, name);
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${name} is not a BLOB`);
  return value;
}

function column(row: unknown, name: string): unknown {
  if (typeof row !== 'object' || row === null) throw new TypeError('the database gave no row');
  return Reflect.get(row, name);
}
