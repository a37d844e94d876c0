/**
 * The cryptographic ports on a WebCrypto that is given: the one of the runtime, or a polyfill such as
 * @peculiar/webcrypto. For surroundings without node:crypto; it knows no DSA (THREAT-8, THREAT-9).
 */
import type { Cipher, Digest, DigestAlgorithm, Hmac, SignatureAlgorithm, SignatureVerifier } from '@postern/ports';
import { unshared } from './unshared.js';
import { createWebCryptoCipher } from './web-crypto-cipher.js';

const HASHES: Readonly<Record<DigestAlgorithm, string>> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};

const RSA_HASHES: ReadonlyMap<string, string> = new Map<SignatureAlgorithm, string>([
  ['rsa-sha1', HASHES.sha1],
  ['rsa-sha256', HASHES.sha256],
  ['rsa-sha384', HASHES.sha384],
  ['rsa-sha512', HASHES.sha512],
]);

const RSA_PKCS1 = 'RSASSA-PKCS1-v1_5';

/**
 * The type of `crypto.subtle` as the program at hand knows it: by the types of the DOM or by those of Node. Named in its own words
 * because a Node program without the DOM's types has no global `SubtleCrypto`, and these declarations would not compile there.
 */
export type WebCryptoSubtle = typeof globalThis extends { crypto: { subtle: infer Subtle } } ? Subtle : never;

/**
 * Verifies RSA signatures, digests, authenticates and encrypts with the given WebCrypto. Imported keys are kept for as long as
 * the caller keeps the `spki` array they came from.
 *
 * @param subtle for example `globalThis.crypto.subtle`; nothing is read from the surroundings here
 * @example
 * ```ts
 * const crypto = createWebCryptoVerifier(globalThis.crypto.subtle);
 * await crypto.verify('rsa-sha256', spki, data, signature); // true or false
 * ```
 */
export function createWebCryptoVerifier(subtle: WebCryptoSubtle): SignatureVerifier & Digest & Hmac & Cipher {
  const keyOf = createKeyCache(subtle);
  return {
    ...createWebCryptoCipher(subtle),
    supports: (algorithm) => RSA_HASHES.has(algorithm),
    async verify(algorithm, spki, data, signature) {
      const hash = RSA_HASHES.get(algorithm);
      if (hash === undefined) throw new TypeError(`signature algorithm ${algorithm} is not supported`);
      return subtle.verify(RSA_PKCS1, await keyOf(hash, spki), unshared(signature), unshared(data));
    },
    async digest(algorithm, data) {
      return new Uint8Array(await subtle.digest(HASHES[algorithm], unshared(data)));
    },
    async hmac(algorithm, key, data) {
      const parameters = { name: 'HMAC', hash: HASHES[algorithm] };
      const imported = await subtle.importKey('raw', unshared(hmacKey(key)), parameters, false, ['sign']);
      return new Uint8Array(await subtle.sign('HMAC', imported, unshared(data)));
    },
  };
}

/** A CryptoKey belongs to one hash, so a key array may have several. A failed import is not kept. */
function createKeyCache(subtle: SubtleCrypto): (hash: string, spki: Uint8Array) => Promise<CryptoKey> {
  const keysBySpki = new WeakMap<Uint8Array, Map<string, CryptoKey>>();
  return async (hash, spki) => {
    const known = keysBySpki.get(spki)?.get(hash);
    if (known !== undefined) return known;
    const key = await importRsaKey(subtle, hash, spki);
    const keys = keysBySpki.get(spki) ?? new Map<string, CryptoKey>();
    keysBySpki.set(spki, keys.set(hash, key));
    return key;
  };
}

async function importRsaKey(subtle: SubtleCrypto, hash: string, spki: Uint8Array): Promise<CryptoKey> {
  try {
    return await subtle.importKey('spki', unshared(spki), { name: RSA_PKCS1, hash }, false, ['verify']);
  } catch (cause) {
    throw new TypeError('not a DER SubjectPublicKeyInfo of an RSA key', { cause });
  }
}

/** WebCrypto refuses an empty key. HMAC fills every key up with zeros, so a zero byte is the same key. */
function hmacKey(key: Uint8Array): Uint8Array {
  return key.length === 0 ? new Uint8Array(1) : key;
}
