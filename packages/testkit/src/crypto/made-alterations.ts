/** A genuine signature, and what a forger makes of it. */
import type { SignatureAlgorithm } from '@postern/ports';
import { type MadeKey, makeKey } from './made-keys.js';
import type { SignatureVector } from './vector-tally.js';

type Alteration = Omit<SignatureVector, 'algorithm'>;

/** Altered data, signatures and keys, and unaltered ones in other arrays. */
export function alterations(
  key: MadeKey,
  algorithm: SignatureAlgorithm,
  data: Uint8Array,
  signature: Uint8Array,
): readonly Alteration[] {
  const { spki } = key;
  const genuine = { spki, data, signature, genuine: true };
  const forged = (label: string, change: Partial<Alteration>) => ({ ...genuine, ...change, label, genuine: false });
  return [
    { ...genuine, label: 'genuine' },
    { ...genuine, label: 'genuine, once more with the key kept' },
    { ...genuine, label: 'genuine, in views of longer arrays', data: view(data), signature: view(signature) },
    { ...genuine, label: 'genuine, the key in another array', spki: view(spki) },
    forged('another key', { spki: makeKey(key.type, key.bits, 65537, 1).spki }),
    forged('no data', { data: new Uint8Array() }),
    forged('data with a byte more', { data: Uint8Array.of(...data, 0) }),
    ...samples(data).map((at) => forged(`data bit ${at} flipped`, { data: flipped(data, at) })),
    ...samples(signature).map((at) => forged(`signature bit ${at} flipped`, { signature: flipped(signature, at) })),
    ...malformed(key, signature).map(([label, bytes]) => forged(label, { signature: bytes })),
    ...key.algorithms
      .filter((other) => other !== algorithm)
      .map((other) => forged(`a signature of ${other}`, { signature: key.sign(other, data) })),
  ];
}

function malformed({ type }: MadeKey, signature: Uint8Array): readonly (readonly [string, Uint8Array])[] {
  const anyType: readonly (readonly [string, Uint8Array])[] = [
    ['an empty signature', new Uint8Array()],
    ['a signature of one byte', Uint8Array.of(0)],
    ['a signature cut short', signature.slice(0, -1)],
    ['a signature with a byte after it', Uint8Array.of(...signature, 0)],
    ['a signature with a zero before it', Uint8Array.of(0, ...signature)],
    ['a signature of zeros', new Uint8Array(signature.length)],
    ['a signature above the modulus', new Uint8Array(signature.length).fill(0xff)],
    ['a signature of 100,000 bytes', new Uint8Array(100_000).fill(0x30)],
  ];
  if (type === 'rsa') return [...anyType, ['the signature 1', new Uint8Array(signature.length).fill(1, -1)]];
  return [
    ...anyType,
    ['r = s = 0', Uint8Array.of(0x30, 6, 2, 1, 0, 2, 1, 0)],
    ['r = s = 1', Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1)],
    ['an indefinite length', Uint8Array.of(0x30, 0x80, ...signature.subarray(2), 0, 0)],
    ['a long form of the length', Uint8Array.of(0x30, 0x81, ...signature.subarray(1))],
  ];
}

/** Bits at both ends and in between. */
function samples(bytes: Uint8Array): readonly number[] {
  const bits = bytes.length * 8;
  return [0, 7, 8, Math.floor(bits / 3), Math.floor(bits / 2), bits - 8, bits - 1];
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (0x80 >> (bit & 7)) : byte));
}

function view(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(0xaa, ...bytes, 0xbb).subarray(1, -1);
}
