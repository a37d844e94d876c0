/** `Cryptography` on WebCrypto: that of the runtime, or one that is given. It has no DSA (THREAT-8, THREAT-9). */
import type { Cryptography, DigestAlgorithm, SignatureAlgorithm } from '@postern/ports';
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

/** The most that `getRandomValues` fills at once (W3C Web Cryptography API, 10.1.1). */
const MAX_RANDOM_BYTES = 65_536;

/**
 * The type of `globalThis.crypto` in the program that compiles this: from the types of the DOM, or from those of Node. A
 * program of Node without the DOM's types has no global `Crypto`, so the name itself would not compile there.
 */
export type WebCrypto = typeof globalThis extends { crypto: infer Platform }
  ? Platform extends { subtle: infer Subtle; getRandomValues: infer Fill }
    ? { readonly subtle: Subtle; readonly getRandomValues: Fill }
    : never
  : never;

/**
 * All cryptography in one object, for workers, Deno, Bun and browsers. RSA only: documents signed with DSA are rejected as
 * `signature_algorithm_unsupported`. An imported key is kept for as long as the caller keeps the `spki` array it came from.
 *
 * @param given default: the WebCrypto of the platform; `new Crypto()` of @peculiar/webcrypto where it has none
 * @throws TypeError where there is no WebCrypto
 * @example
 * ```ts
 * const auth = createAuthMethod({ storage, crypto: createWebCrypto(), cloud, audit });
 * ```
 */
export function createWebCrypto(given: WebCrypto | undefined = globalThis.crypto): Cryptography {
  if (given?.subtle === undefined) {
    throw new TypeError(
      'createWebCrypto: the platform has no crypto.subtle; pass one, such as new Crypto() of @peculiar/webcrypto',
    );
  }
  const { subtle } = given;
  const keyOf = createKeyCache(subtle);
  return {
    ...createWebCryptoCipher(subtle),
    bytes(length) {
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; at += MAX_RANDOM_BYTES) {
        given.getRandomValues(bytes.subarray(at, at + MAX_RANDOM_BYTES));
      }
      return bytes;
    },
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
