/** The contract of the cryptographic ports on node:crypto, with every Wycheproof vector that the port can express (THREAT-8, THREAT-9). */
import { wycheproofCases } from '@postern/internal';
import { cryptoContractCases } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createNodeCrypto } from './index.js';

/** Vectors tried: a suite that reads none would pass too. What is unsupported is SHA-224, which the port does not have. */
const EXPECTED: Readonly<Record<string, object>> = {
  'verifies RSA signatures and refuses altered ones': { checked: 264, genuine: 32, unsupported: 0 },
  'verifies DSA signatures and refuses altered ones, or supports no DSA': { checked: 68, genuine: 8, unsupported: 0 },
  'verifies with the exponent 3 and refuses a signature computed without the key': {
    checked: 2,
    genuine: 1,
    unsupported: 0,
  },
  'throws TypeError for a key of another type or none at all': { checked: 5, genuine: 5, unsupported: 0 },
  'digests as published and as node:crypto does': { checked: 56, genuine: 56, unsupported: 0 },
  'authenticates as node:crypto does, with empty and long keys too': { checked: 52, genuine: 52, unsupported: 0 },
  'seals as published and as node:crypto does, and opens it again': { checked: 21, genuine: 21, unsupported: 0 },
  'opens nothing that was altered, cut or sealed otherwise': { checked: 127, genuine: 1, unsupported: 0 },
  'throws TypeError for a key or nonce of another length': { checked: 12, genuine: 12, unsupported: 0 },
  // THREAT-8.
  'agrees with Wycheproof on RSA-2048 signatures': { checked: 259, genuine: 9, unsupported: 0 },
  'agrees with Wycheproof on RSA-1024 signatures': { checked: 25, genuine: 25, unsupported: 8 },
  // THREAT-9.
  'agrees with Wycheproof on DSA signatures': { checked: 604, genuine: 22, unsupported: 302 },
  'agrees with Wycheproof on HMAC-SHA-256': { checked: 174, genuine: 66, unsupported: 0 },
};

describe('the crypto contract on node:crypto', () => {
  for (const { name, available, run } of [...cryptoContractCases(), ...wycheproofCases()]) {
    it.skipIf(!available)(name, async () => {
      expect(await run(createNodeCrypto())).toEqual(EXPECTED[name]);
    });
  }
});
