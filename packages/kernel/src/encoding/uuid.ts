/** Random UUIDs (RFC 9562, version 4), made from the RandomSource: role ids, tag keys, generated nonces. */
import type { RandomSource } from '@postern/ports';
import { encodeHex } from './hex.js';

/** Lower-case text with dashes; 122 random bits. */
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
