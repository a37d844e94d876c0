/**
 * Randomness of the operating system, through node:crypto. Drawn in blocks: a draw of 32 bytes costs as much as one of
 * thousands, and a login makes several.
 */
import { randomFillSync } from 'node:crypto';
import type { RandomSource } from '@postern/ports';

const BLOCK_BYTES = 4096;

/** More at once is drawn for itself. */
const MAX_BYTES_OF_BLOCK = 256;

/** @returns a source of fresh, unpredictable bytes; no byte is given twice */
export function createNodeRandomSource(): RandomSource {
  const block = new Uint8Array(BLOCK_BYTES);
  let used = BLOCK_BYTES;
  return {
    bytes(length) {
      const bytes = new Uint8Array(length);
      if (bytes.length > MAX_BYTES_OF_BLOCK) return randomFillSync(bytes);
      if (used + bytes.length > BLOCK_BYTES) {
        randomFillSync(block);
        used = 0;
      }
      const end = used + bytes.length;
      bytes.set(block.subarray(used, end));
      // What was given may be a secret: whoever reads this memory later must not find it here.
      block.fill(0, used, end);
      used = end;
      return bytes;
    },
  };
}
