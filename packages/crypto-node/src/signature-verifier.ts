/** RSA and DSA signatures on node:crypto, each key parsed once (THREAT-8, THREAT-9). */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { SignatureAlgorithm, SignatureVerifier } from '@postern/ports';

interface Scheme {
  readonly keyType: 'rsa' | 'dsa';
  readonly digest: string;
}

const SCHEMES: ReadonlyMap<string, Scheme> = new Map<SignatureAlgorithm, Scheme>([
  ['rsa-sha1', { keyType: 'rsa', digest: 'sha1' }],
  ['rsa-sha256', { keyType: 'rsa', digest: 'sha256' }],
  ['rsa-sha384', { keyType: 'rsa', digest: 'sha384' }],
  ['rsa-sha512', { keyType: 'rsa', digest: 'sha512' }],
  ['dsa-sha1', { keyType: 'dsa', digest: 'sha1' }],
  ['dsa-sha256', { keyType: 'dsa', digest: 'sha256' }],
]);

/**
 * Verifies synchronously. Parsed keys are kept for as long as the caller keeps the `spki` array they came from: with a
 * key parsed at each call a verification costs eight times as much.
 *
 * @example
 * ```ts
 * createNodeSignatureVerifier().verify('rsa-sha256', spki, data, signature); // true or false
 * ```
 */
export function createNodeSignatureVerifier(): NodeSignatureVerifier {
  const keys = new WeakMap<Uint8Array, KeyObject>();
  const keyOf = (spki: Uint8Array): KeyObject => {
    const known = keys.get(spki);
    if (known !== undefined) return known;
    const key = parseKey(spki);
    keys.set(spki, key);
    return key;
  };
  return {
    supports: (algorithm) => SCHEMES.has(algorithm),
    verify: (algorithm, spki, data, signature) => {
      const scheme = SCHEMES.get(algorithm);
      if (scheme === undefined) throw new TypeError(`signature algorithm ${algorithm} is not supported`);
      const key = keyOf(spki);
      if (key.asymmetricKeyType !== scheme.keyType) throw new TypeError(`not a key for ${algorithm}`);
      return verify(scheme.digest, data, key, signature);
    },
  };
}

/** The port, with the promise taken away: on node:crypto every answer is there at once. */
export interface NodeSignatureVerifier extends SignatureVerifier {
  verify(algorithm: SignatureAlgorithm, spki: Uint8Array, data: Uint8Array, signature: Uint8Array): boolean;
}

function parseKey(spki: Uint8Array): KeyObject {
  // A view, not a copy: node:crypto types want a Buffer.
  const key = Buffer.from(spki.buffer, spki.byteOffset, spki.byteLength);
  try {
    return createPublicKey({ key, format: 'der', type: 'spki' });
  } catch (cause) {
    throw new TypeError('not a DER SubjectPublicKeyInfo', { cause });
  }
}
