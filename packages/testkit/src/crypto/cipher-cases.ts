/** Authenticated encryption against published vectors and node:crypto; whatever is altered must not open. */
import { createCipheriv } from 'node:crypto';
import type { CryptoContractCase, CryptoImplementation } from './crypto-contract-case.js';
import { createTally } from './vector-tally.js';

interface GcmVector {
  readonly key: string;
  readonly nonce: string;
  readonly plaintext: string;
  readonly data: string;
  readonly sealed: string;
}

/** McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 13, 14 and 16. */
const PUBLISHED: readonly GcmVector[] = [
  {
    key: '00'.repeat(32),
    nonce: '00'.repeat(12),
    plaintext: '',
    data: '',
    sealed: '530f8afbc74536b9a963b4f1c4cb738b',
  },
  {
    key: '00'.repeat(32),
    nonce: '00'.repeat(12),
    plaintext: '00'.repeat(16),
    data: '',
    sealed: 'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
  },
  {
    key: 'feffe9928665731c6d6a8f9467308308'.repeat(2),
    nonce: 'cafebabefacedbaddecaf888',
    plaintext:
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    data: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    sealed:
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b',
  },
];

const LENGTHS: readonly number[] = [0, 1, 15, 16, 17, 31, 32, 33, 1000];

/** Three cases: sealing, opening what was altered, misuse. */
export function cipherCases(): readonly CryptoContractCase[] {
  return [
    {
      name: 'seals as published and as node:crypto does, and opens it again',
      available: true,
      async run(implementation) {
        const tally = createTally();
        for (const [at, vector] of PUBLISHED.entries()) {
          const [key, nonce, plaintext, data] = [vector.key, vector.nonce, vector.plaintext, vector.data].map(bytes);
          const sealed = await implementation.seal(key ?? none, nonce ?? none, plaintext ?? none, data ?? none);
          tally.add(`published vector ${at}`, true, hexOf(sealed) === vector.sealed);
        }
        for (const length of LENGTHS) {
          const [key, nonce, plaintext, data] = [
            pattern(32, 1),
            pattern(12, 2),
            pattern(length, 3),
            pattern(length, 4),
          ];
          const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(data);
          const known = cipher.update(plaintext, undefined, 'hex') + cipher.final('hex') + hexOf(cipher.getAuthTag());
          const sealed = await implementation.seal(key, nonce, plaintext, data);
          tally.add(`${length} bytes sealed`, true, hexOf(sealed) === known);
          const opened = await implementation.open(key, nonce, sealed, data);
          tally.add(`${length} bytes opened`, true, opened !== undefined && hexOf(opened) === hexOf(plaintext));
        }
        return tally.counts();
      },
    },
    {
      name: 'opens nothing that was altered, cut or sealed otherwise',
      available: true,
      async run(implementation) {
        const tally = createTally();
        const given = { key: pattern(32, 1), nonce: pattern(12, 2), data: pattern(9, 4) };
        const sealed = await implementation.seal(given.key, given.nonce, pattern(20, 3), given.data);
        const all = { ...given, sealed };
        for (const part of ['key', 'nonce', 'data', 'sealed'] as const) {
          for (let at = 0; at < all[part].length; at += 1) {
            // A copy, also of a Buffer.
            const altered = new Uint8Array(all[part]);
            altered[at] = (altered[at] ?? 0) ^ (1 << (at & 7));
            tally.add(
              `${part} with byte ${at} altered`,
              false,
              await opens(implementation, { ...all, [part]: altered }),
            );
          }
        }
        for (let length = 0; length < sealed.length; length += 1) {
          const cut = sealed.subarray(0, length);
          tally.add(`the first ${length} bytes`, false, await opens(implementation, { ...all, sealed: cut }));
        }
        const longer = Uint8Array.of(...sealed, 0);
        tally.add('one byte more', false, await opens(implementation, { ...all, sealed: longer }));
        tally.add('nothing altered', true, await opens(implementation, all));
        return tally.counts();
      },
    },
    {
      name: 'throws TypeError for a key or nonce of another length',
      available: true,
      async run(implementation) {
        const tally = createTally();
        for (const [keyBytes, nonceBytes] of [
          [16, 12],
          [33, 12],
          [0, 12],
          [32, 16],
          [32, 11],
          [32, 0],
        ] as const) {
          const [key, nonce, data] = [pattern(keyBytes, 1), pattern(nonceBytes, 2), pattern(32, 3)];
          const label = `a key of ${keyBytes} bytes and a nonce of ${nonceBytes}`;
          tally.add(`${label}, sealing`, true, await isRefused(() => implementation.seal(key, nonce, data, none)));
          tally.add(`${label}, opening`, true, await isRefused(() => implementation.open(key, nonce, data, none)));
        }
        return tally.counts();
      },
    },
  ];
}

const none = new Uint8Array();

interface Sealed {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
  readonly data: Uint8Array;
}

async function opens(implementation: CryptoImplementation, { key, nonce, sealed, data }: Sealed): Promise<boolean> {
  return (await implementation.open(key, nonce, sealed, data)) !== undefined;
}

async function isRefused(task: () => unknown): Promise<boolean> {
  try {
    await task();
    return false;
  } catch (error) {
    return error instanceof TypeError;
  }
}

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

/** A view into a longer array, as parsers hand them on. */
function pattern(length: number, seed: number): Uint8Array {
  const longer = Uint8Array.from({ length: length + 8 }, (_, at) => (at * 7 + seed * 31) & 0xff);
  return longer.subarray(4, 4 + length);
}

function hexOf(data: Uint8Array): string {
  return Buffer.from(data).toString('hex');
}
