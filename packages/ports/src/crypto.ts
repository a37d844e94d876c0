import type { Awaitable } from './shared.js';

/**
 * All cryptography in one object: `createNodeCrypto()` of `@postern/crypto-node`, `createWebCrypto()` of
 * `@postern/crypto-web`, or your own.
 */
export interface Cryptography extends SignatureVerifier, Digest, Hmac, Cipher, RandomSource {}

/** Cryptographically secure randomness. */
export interface RandomSource {
  /** Returns `length` fresh, unpredictable bytes. */
  bytes(length: number): Uint8Array;
}

/** Signature schemes by key type and digest. `rsa-*` is PKCS#1 v1.5; a `dsa-*` signature is a DER `SEQUENCE { r, s }`. */
export type SignatureAlgorithm = 'rsa-sha1' | 'rsa-sha256' | 'rsa-sha384' | 'rsa-sha512' | 'dsa-sha1' | 'dsa-sha256';

/** Checks signatures. It knows no trust: which key may sign what is core's to decide. */
export interface SignatureVerifier {
  /** False where the surroundings cannot check this scheme at all (WebCrypto knows no DSA). */
  supports(algorithm: SignatureAlgorithm): boolean;
  /**
   * Whether `signature` over `data` was made with the key in `spki` (DER SubjectPublicKeyInfo).
   *
   * A malformed signature is `false`. An adapter may cache parsed keys by the identity of the `spki` array, so callers
   * keep one array a key and never change it.
   *
   * @throws TypeError when the algorithm is not supported or `spki` is not a key of its type.
   */
  verify(algorithm: SignatureAlgorithm, spki: Uint8Array, data: Uint8Array, signature: Uint8Array): Awaitable<boolean>;
}

export type DigestAlgorithm = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** Message digests. */
export interface Digest {
  digest(algorithm: DigestAlgorithm, data: Uint8Array): Awaitable<Uint8Array>;
}

/** Message authentication codes. */
export interface Hmac {
  hmac(algorithm: DigestAlgorithm, key: Uint8Array, data: Uint8Array): Awaitable<Uint8Array>;
}

/** Authenticated encryption: AES-256 in GCM (NIST SP 800-38D) with a tag of 16 bytes behind the encrypted ones. */
export interface Cipher {
  /**
   * Encrypts and authenticates. A nonce must never be used twice with a key: that gives both texts away.
   *
   * @param key 32 bytes
   * @param nonce 12 bytes
   * @param data authenticated and not encrypted; `open` must be given the same
   * @throws TypeError for a key or nonce of another length
   */
  seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, data: Uint8Array): Awaitable<Uint8Array>;
  /**
   * The plaintext, or undefined where a single bit of sealed bytes, key, nonce or data is not as it was.
   *
   * @throws TypeError like `seal`
   */
  open(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, data: Uint8Array): Awaitable<Uint8Array | undefined>;
}
