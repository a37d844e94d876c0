/**
 * Bytes as UTF-8, hexadecimal and UUIDs, and their comparison. UTF-8 without repair: text that is not well-formed is rejected, a
 * byte order mark is kept (THREAT-13). Pure: the cores know neither Buffer nor `Uint8Array.prototype.toHex`.
 */
import type { RandomSource } from '@postern/ports';

/** Text: UTF-8 without repair, and the case of ASCII. */
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8 bytes of a text. Lone surrogates become U+FFFD: compare texts before encoding where that matters. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text, or undefined where the bytes are not well-formed UTF-8; a byte order mark is kept (THREAT-13). */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Lower case of ASCII letters only: no letter of another script may fold into a reserved name (THREAT-29). */
export function lowerAscii(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

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
