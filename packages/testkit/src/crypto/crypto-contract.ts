/** One contract suite for every implementation of the cryptographic ports: verdicts must agree, whatever they run on. */
import type { Digest, Hmac, SignatureVerifier } from '@postern/ports';
import { digestCases } from './digest-cases.js';
import { madeSignatureCases } from './made-signatures.js';
import { wycheproofHmacCases } from './wycheproof-hmac.js';
import { wycheproofSignatureCases } from './wycheproof-signatures.js';

/** What is under test. */
export type CryptoImplementation = SignatureVerifier & Digest & Hmac;

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

/**
 * The cases that every implementation of SignatureVerifier, Digest and Hmac passes.
 *
 * @example
 * ```ts
 * for (const { name, available, run } of cryptoContractCases()) {
 *   it.skipIf(!available)(name, async () => { await run(createNodeCrypto()); });
 * }
 * ```
 */
export function cryptoContractCases(): readonly CryptoContractCase[] {
  return [...madeSignatureCases(), ...digestCases(), ...wycheproofSignatureCases(), ...wycheproofHmacCases()];
}
