/** The cryptographic ports of Postern on node:crypto: fast, synchronous, and the only implementation that knows DSA. */
import type { RandomSource } from '@postern/ports';
import { createNodeCipher, type NodeCipher } from './cipher.js';
import { createNodeDigests, type NodeDigests } from './digest.js';
import { createNodeRandomSource } from './random-source.js';
import { createNodeSignatureVerifier, type NodeSignatureVerifier } from './signature-verifier.js';

export type NodeCrypto = NodeSignatureVerifier & NodeDigests & NodeCipher & RandomSource;

/**
 * All cryptographic ports in one object.
 *
 * @example
 * ```ts
 * const crypto = createNodeCrypto();
 * createAuthMethod({ verifier: crypto, digest: crypto, hmac: crypto, cipher: crypto, random: crypto, ...ports });
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
