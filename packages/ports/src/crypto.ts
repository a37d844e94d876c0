import type { Awaitable } from './shared.js';

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
