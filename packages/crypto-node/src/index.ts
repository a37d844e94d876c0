/** The cryptographic ports of Postern on node:crypto: fast, synchronous, and the only implementation that knows DSA. */
import type { RandomSource } from '@postern/ports';
import { createNodeDigests, type NodeDigests } from './digest.js';
import { createNodeRandomSource } from './random-source.js';
import { createNodeSignatureVerifier, type NodeSignatureVerifier } from './signature-verifier.js';

export type NodeCrypto = NodeSignatureVerifier & NodeDigests & RandomSource;

/**
 * All cryptographic ports in one object.
 *
 * @example
 * ```ts
 * const crypto = createNodeCrypto();
 * createAuthMethod({ verifier: crypto, digest: crypto, hmac: crypto, random: crypto, ...ports });
 * ```
 */
export function createNodeCrypto(): NodeCrypto {
  return { ...createNodeSignatureVerifier(), ...createNodeDigests(), ...createNodeRandomSource() };
}

export {
  createNodeDigests,
  createNodeRandomSource,
  createNodeSignatureVerifier,
  type NodeDigests,
  type NodeSignatureVerifier,
};
