/** Request ids: what ties an answer, its audit event and the log together (WIRE-16). */
import type { RandomSource } from '@postern/ports';

/** A random UUID (RFC 9562, version 4) from 16 bytes of the source. */
export function randomUuid(random: RandomSource): string {
  const hex = Array.from(random.bytes(16), (byte, index) => {
    const fixed = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte;
    return fixed.toString(16).padStart(2, '0');
  }).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** What makes the ids of an application's requests. */
export function requestIdSource(source: RandomSource | (() => string) | undefined): () => string {
  if (source === undefined) return () => crypto.randomUUID();
  return typeof source === 'function' ? source : () => randomUuid(source);
}
