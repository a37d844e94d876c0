/** One contract suite for every implementation of the cryptographic ports: verdicts must agree, whatever they run on. */
import { cipherCases } from './cipher-cases.js';
import type { CryptoContractCase } from './crypto-contract-case.js';
import { digestCases } from './digest-cases.js';
import { madeSignatureCases } from './made-signatures.js';

/**
 * The cases that every implementation of SignatureVerifier, Digest, Hmac and Cipher passes.
 *
 * @example
 * ```ts
 * for (const { name, available, run } of cryptoContractCases()) {
 *   it.skipIf(!available)(name, async () => { await run(createNodeCrypto()); });
 * }
 * ```
 */
export function cryptoContractCases(): readonly CryptoContractCase[] {
  return [...madeSignatureCases(), ...digestCases(), ...cipherCases()];
}
