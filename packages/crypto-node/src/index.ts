/** The cryptographic ports of Postern on node:crypto: fast, synchronous, and the only implementation that knows DSA. */

import { createHmac, hash, randomFillSync } from 'node:crypto';
import type { Digest, DigestAlgorithm, Hmac, RandomSource } from '@postern/ports';
import { createNodeCipher, type NodeCipher } from './cipher.js';
import { createNodeSignatureVerifier, type NodeSignatureVerifier } from './signature-verifier.js';

/** `Cryptography` whose answers come at once, without a promise. */
export interface NodeCrypto extends NodeSignatureVerifier, NodeDigests, NodeCipher, RandomSource {}

/**
 * All cryptography in one object.
 *
 * @example
 * ```ts
 * const auth = createAuthMethod({ storage, crypto: createNodeCrypto(), cloud, audit });
 * ```
 */
export function createNodeCrypto(): NodeCrypto {
  return {
    ...createNodeSignatureVerifier(),
    ...createNodeDigests(),
    ...createNodeCipher(),
    ...createNodeRandomSource(),
  };
}

export { createNodeCipher, createNodeSignatureVerifier, type NodeCipher, type NodeSignatureVerifier };

/** The ports, with the promise taken away. */
export interface NodeDigests extends Digest, Hmac {
  digest(algorithm: DigestAlgorithm, data: Uint8Array): Uint8Array;
  hmac(algorithm: DigestAlgorithm, key: Uint8Array, data: Uint8Array): Uint8Array;
}

/** Digests and MACs. The arrays returned are plain: callers compare and slice them without meeting Buffer's `slice`. */
export function createNodeDigests(): NodeDigests {
  return {
    digest: (algorithm, data) => bytesOf(hash(algorithm, data, 'binary')),
    hmac: (algorithm, key, data) => bytesOf(createHmac(algorithm, key).update(data).digest('binary')),
  };
}

/** A digest as text, one character a byte, costs a third of the Buffer that node:crypto would make for it. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

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
      // The input may be a secret: it must not stay in this memory.
      block.fill(0, used, end);
      used = end;
      return bytes;
    },
  };
}
