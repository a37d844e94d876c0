/** Digests and MACs against published values and against node:crypto at every length around the block size. */
import { createHash, createHmac } from 'node:crypto';
import type { DigestAlgorithm } from '@postern/ports';
import type { CryptoContractCase } from './crypto-contract-case.js';
import { createTally } from './vector-tally.js';

/** FIPS 180-4: the digest of "abc". */
const ABC: readonly (readonly [DigestAlgorithm, string])[] = [
  ['sha1', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['sha256', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['sha384', 'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7'],
  [
    'sha512',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
  ],
];

/** Around the block sizes of 64 and 128 bytes; a MAC's key longer than a block is digested first. */
const LENGTHS: readonly number[] = [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1000];

/** Two cases: digests and MACs. */
export function digestCases(): readonly CryptoContractCase[] {
  return [
    {
      name: 'digests as published and as node:crypto does',
      available: true,
      async run(implementation) {
        const tally = createTally();
        for (const [algorithm, expected] of ABC) {
          const digest = await implementation.digest(algorithm, new TextEncoder().encode('abc'));
          tally.add(`${algorithm} of abc`, true, hexOf(digest) === expected);
          for (const length of LENGTHS) {
            const data = pattern(length);
            const known = createHash(algorithm).update(data).digest('hex');
            const given = hexOf(await implementation.digest(algorithm, data));
            tally.add(`${algorithm} of ${length} bytes`, true, given === known);
          }
        }
        return tally.counts();
      },
    },
    {
      name: 'authenticates as node:crypto does, with empty and long keys too',
      available: true,
      async run(implementation) {
        const tally = createTally();
        for (const [algorithm] of ABC) {
          for (const length of LENGTHS) {
            const [key, data] = [pattern(length), pattern(length + 1).subarray(1)];
            const known = createHmac(algorithm, key).update(data).digest('hex');
            const given = hexOf(await implementation.hmac(algorithm, key, data));
            tally.add(`HMAC-${algorithm} with a key of ${length} bytes`, true, given === known);
          }
        }
        return tally.counts();
      },
    },
  ];
}

/** A view into a longer array, as parsers hand them on. */
function pattern(length: number): Uint8Array {
  const bytes = Uint8Array.from({ length: length + 8 }, (_, at) => (at * 7 + 3) & 0xff);
  return bytes.subarray(4, 4 + length);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
