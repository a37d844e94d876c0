/** Key pairs made on the spot, once in a process: a DSA one takes a second. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { SignatureAlgorithm } from '@postern/ports';

export interface MadeKey {
  readonly type: 'rsa' | 'dsa';
  readonly bits: number;
  /** DER SubjectPublicKeyInfo; one array for one key. */
  readonly spki: Uint8Array;
  /** What the port can verify with it. */
  readonly algorithms: readonly SignatureAlgorithm[];
  sign(algorithm: SignatureAlgorithm, data: Uint8Array): Uint8Array;
}

const ALGORITHMS: Readonly<Record<MadeKey['type'], readonly SignatureAlgorithm[]>> = {
  rsa: ['rsa-sha1', 'rsa-sha256', 'rsa-sha384', 'rsa-sha512'],
  dsa: ['dsa-sha1', 'dsa-sha256'],
};

const made = new Map<string, MadeKey>();

/** `index` tells apart keys that are otherwise alike. */
export function makeKey(type: MadeKey['type'], bits: number, publicExponent = 65537, index = 0): MadeKey {
  const id = [type, bits, publicExponent, index].join(' ');
  const known = made.get(id);
  if (known !== undefined) return known;
  const { publicKey, privateKey } = generate(type, bits, publicExponent);
  const key: MadeKey = {
    type,
    bits,
    spki: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
    algorithms: ALGORITHMS[type],
    sign: (algorithm, data) => new Uint8Array(sign(algorithm.slice(algorithm.indexOf('-') + 1), data, privateKey)),
  };
  made.set(id, key);
  return key;
}

function generate(
  type: MadeKey['type'],
  bits: number,
  publicExponent: number,
): { publicKey: KeyObject; privateKey: KeyObject } {
  return type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: bits, publicExponent })
    : generateKeyPairSync('dsa', { modulusLength: bits, divisorLength: 160 });
}
