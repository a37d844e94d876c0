/** Wycheproof HMAC-SHA-256: the tag, or the first half of it, must be what the implementation computes. */
import type { CryptoContractCase } from '@postern/testkit';
import { createTally } from '@postern/testkit';
import { bytesOf, hasWycheproof, readWycheproof } from './wycheproof.js';

const FILE = 'hmac_sha256_test.json';

/** One case. */
export function wycheproofHmacCases(): readonly CryptoContractCase[] {
  return [
    {
      name: 'agrees with Wycheproof on HMAC-SHA-256',
      available: hasWycheproof(FILE),
      async run(implementation) {
        const tally = createTally();
        for (const group of readWycheproof(FILE)) {
          for (const test of group.tests) {
            const tag = bytesOf(test, 'tag');
            const computed = await implementation.hmac('sha256', bytesOf(test, 'key'), bytesOf(test, 'msg'));
            const verdict = Buffer.from(computed.subarray(0, tag.length)).equals(tag);
            tally.add(`HMAC ${test.tcId} (${test.comment})`, test.result === 'valid', verdict);
          }
        }
        return tally.counts();
      },
    },
  ];
}
