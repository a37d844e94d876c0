/** What a case of the crypto contract is, and what it counts. */
import type { Cipher, Digest, Hmac, SignatureVerifier } from '@postern/ports';

/** What is under test. */
export type CryptoImplementation = SignatureVerifier & Digest & Hmac & Cipher;

/** How many vectors a case tried. Compare them with expected numbers: a suite that tries nothing passes too. */
export interface CryptoVectorCounts {
  /** The implementation gave the expected verdict. */
  readonly checked: number;
  /** Of those: the expected verdict was "genuine". */
  readonly genuine: number;
  /** Not tried, because the port or the implementation has no such algorithm. */
  readonly unsupported: number;
}

export interface CryptoContractCase {
  /** A sentence about the implementation. */
  readonly name: string;
  /** False where the vectors are not on this machine: skip the case, so that the report counts it. */
  readonly available: boolean;
  /** @throws Error that names every vector with a wrong verdict */
  run(implementation: CryptoImplementation): Promise<CryptoVectorCounts>;
}
