/** Ids in the shapes that the cloud gives them, from a source of randomness; the same seed gives the same ids. */
import { createHash, randomBytes } from 'node:crypto';
import type { RandomSource } from '@postern/ports';

/** Randomness that repeats: SHA-256 of the seed and a counter. For tests only. */
export function seededRandom(seed: string): RandomSource {
  let counter = 0;
  return {
    bytes(length) {
      const out = new Uint8Array(length);
      for (let offset = 0; offset < length; offset += 32) {
        const block = createHash('sha256').update(`${seed}\n${counter++}`).digest();
        out.set(block.subarray(0, length - offset), offset);
      }
      return out;
    },
  };
}

/** Real randomness, for a cloud without a seed. */
export const systemRandom: RandomSource = { bytes: (length) => new Uint8Array(randomBytes(length)) };

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export interface IdSource {
  /** `i-`, `ami-`, `vpc-`, `subnet-` and 17 hex digits. */
  resource(prefix: 'i' | 'ami' | 'vpc' | 'subnet'): string;
  /** `AIDA` (user), `AROA` (role), `AIPA` (instance profile) and 17 characters. */
  unique(prefix: 'AIDA' | 'AROA' | 'AIPA'): string;
  /** An address in 10.0.0.0/8. */
  privateIp(): string;
}

export function idSource(random: RandomSource): IdSource {
  return {
    resource: (prefix) => `${prefix}-${Buffer.from(random.bytes(9)).toString('hex').slice(0, 17)}`,
    unique: (prefix) => prefix + Array.from(random.bytes(17), (byte) => ALPHABET[byte % 32]).join(''),
    privateIp: () => `10.${Array.from(random.bytes(3)).join('.')}`,
  };
}

/** The partition that a region belongs to. */
export function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  if (region.startsWith('us-gov-')) return 'aws-us-gov';
  if (region.startsWith('eusc-')) return 'aws-eusc';
  if (region.startsWith('us-iso-')) return 'aws-iso';
  if (region.startsWith('us-isob-')) return 'aws-iso-b';
  if (region.startsWith('eu-isoe-')) return 'aws-iso-e';
  if (region.startsWith('us-isof-')) return 'aws-iso-f';
  return 'aws';
}
