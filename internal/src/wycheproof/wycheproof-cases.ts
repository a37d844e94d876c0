/** Wycheproof's verdicts on RSA, DSA and HMAC, as cases of the crypto contract. Unavailable where the vectors are absent. */
import type { CryptoContractCase } from '@postern/testkit';
import { wycheproofHmacCases } from './wycheproof-hmac.js';
import { wycheproofSignatureCases } from './wycheproof-signatures.js';

export function wycheproofCases(): readonly CryptoContractCase[] {
  return [...wycheproofSignatureCases(), ...wycheproofHmacCases()];
}
