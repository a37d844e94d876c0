/** Keys, tokens and request ids in the shapes that AWS gives them. */
import type { RandomSource } from '@postern/ports';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export interface StsIds {
  /** `AKIA` (long-term) or `ASIA` (temporary) and 16 characters. */
  accessKeyId(prefix: 'AKIA' | 'ASIA'): string;
  /** 40 characters of base64. */
  secretAccessKey(): string;
  /** Base64, of the length that tokens usually have, with `+`, `/` and `=` in it: all need encoding in a query. */
  sessionToken(): string;
  /** A version 4 UUID. */
  requestId(): string;
}

export function stsIds(random: RandomSource): StsIds {
  const base64 = (bytes: number): string => Buffer.from(random.bytes(bytes)).toString('base64');
  return {
    accessKeyId: (prefix) => prefix + Array.from(random.bytes(16), (byte) => ALPHABET[byte % 32]).join(''),
    secretAccessKey: () => base64(30),
    sessionToken: () => `IQoJb3JpZ2luX2Vj+/${base64(271)}`,
    requestId: () => {
      const bytes = random.bytes(16);
      bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
      bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
      return Buffer.from(bytes)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    },
  };
}
