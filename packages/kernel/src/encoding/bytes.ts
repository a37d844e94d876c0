/**
 * Bytes as hexadecimal and UUIDs, and their comparison. Pure and table-driven: the cores know neither Buffer nor
 * `Uint8Array.prototype.toHex`.
 */
import type { RandomSource } from '@postern/ports';

const PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Two lower-case digits a byte. */
export function encodeHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += PAIRS[byte];
  return text;
}

/** A random UUID (RFC 9562, version 4): lower-case text with dashes; 122 random bits. */
export function createUuid(random: RandomSource): string {
  const bytes = random.bytes(16).slice();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  return formatUuid(bytes);
}

/** Sixteen bytes as UUID text; sets the variant bits, the caller has set the version. */
export function formatUuid(bytes: Uint8Array): string {
  const fields = bytes.slice(0, 16);
  fields[8] = ((fields[8] ?? 0) & 0x3f) | 0x80;
  const hex = encodeHex(fields);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * Whether two arrays hold the same bytes, for secrets and MACs: the time depends on `expected.length` only, which is
 * public, never on where they differ.
 */
export function equalConstantTime(given: Uint8Array, expected: Uint8Array): boolean {
  let difference = given.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) difference |= (given[at] ?? 0) ^ (expected[at] ?? 0);
  return difference === 0;
}
