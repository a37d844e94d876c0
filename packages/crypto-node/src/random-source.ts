/** Randomness of the operating system, through node:crypto. */
import { randomFillSync } from 'node:crypto';
import type { RandomSource } from '@postern/ports';

/** @returns a source of fresh, unpredictable bytes */
export function createNodeRandomSource(): RandomSource {
  return { bytes: (length) => randomFillSync(new Uint8Array(length)) };
}
