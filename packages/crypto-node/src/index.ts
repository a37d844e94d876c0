/** The cryptographic ports of Postern on node:crypto: fast, synchronous, and the only implementation that knows DSA. */
import type { RandomSource } from '@postern/ports';
import { createNodeCipher, type NodeCipher } from './cipher.js';
import { createNodeDigests, type NodeDigests } from './digest.js';
import { createNodeRandomSource } from './random-source.js';
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

export {
  createNodeCipher,
  createNodeDigests,
  createNodeRandomSource,
  createNodeSignatureVerifier,
  type NodeCipher,
  type NodeDigests,
  type NodeSignatureVerifier,
};
