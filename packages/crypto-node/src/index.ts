/**
 * The cryptographic ports of Postern on node:crypto: fast, synchronous, and the only implementation that knows DSA. A key is parsed
 * once, not at each signature (THREAT-8, THREAT-9).
 */
import { createHmac, createPublicKey, hash, type KeyObject, randomFillSync, verify } from 'node:crypto';
import type {
  Digest,
  DigestAlgorithm,
  Hmac,
  RandomSource,
  SignatureAlgorithm,
  SignatureVerifier,
} from '@postern/ports';
import { createNodeCipher, type NodeCipher } from './cipher.js';

/** `Cryptography` whose answers come at once, without a promise. */
export interface NodeCrypto extends NodeSignatureVerifier, NodeDigests, NodeCipher, RandomSource {}

/**
 * All cryptography in one object.
 *
 * @example
 * ```ts
 * const auth = createAuthMethod({ storage, crypto: createNodeCrypto(), cloud, audit });
 * ```
 */
export function createNodeCrypto(): NodeCrypto {
  return {
    ...createNodeSignatureVerifier(),
    ...createNodeDigests(),
    ...createNodeCipher(),
    ...createNodeRandomSource(),
  };
}

export { createNodeCipher, type NodeCipher };

/** The ports, with the promise taken away. */
export interface NodeDigests extends Digest, Hmac {
  digest(algorithm: DigestAlgorithm, data: Uint8Array): Uint8Array;
  hmac(algorithm: DigestAlgorithm, key: Uint8Array, data: Uint8Array): Uint8Array;
}

/** Digests and MACs. The arrays returned are plain: callers compare and slice them without meeting Buffer's `slice`. */
export function createNodeDigests(): NodeDigests {
  return {
    digest: (algorithm, data) => bytesOf(hash(algorithm, data, 'binary')),
    hmac: (algorithm, key, data) =>
      algorithm === 'sha256' && key.length <= SHA256_BLOCK && data.length <= MAX_SHORT
        ? hmacOfShort(key, data)
        : bytesOf(createHmac(algorithm, key).update(data).digest('binary')),
  };
}

const SHA256_BLOCK = 64;
const SHA256_BYTES = 32;
const MAX_SHORT = 512;
const inner = Buffer.alloc(SHA256_BLOCK + MAX_SHORT);
const outer = Buffer.alloc(SHA256_BLOCK + SHA256_BYTES);

/** HMAC-SHA256 (RFC 2104, 2) as two digests in one call each: half the cost of a context that is made, filled and ended. */
function hmacOfShort(key: Uint8Array, data: Uint8Array): Uint8Array {
  inner.fill(0x36, 0, SHA256_BLOCK);
  outer.fill(0x5c, 0, SHA256_BLOCK);
  for (let at = 0; at < key.length; at += 1) {
    const byte = key[at] ?? 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  inner.set(data, SHA256_BLOCK);
  outer.write(hash('sha256', inner.subarray(0, SHA256_BLOCK + data.length), 'binary'), SHA256_BLOCK, 'binary');
  const mac = bytesOf(hash('sha256', outer, 'binary'));
  // Key and data are secrets: they must not stay in this memory.
  inner.fill(0);
  outer.fill(0);
  return mac;
}

/** A digest as text, one character a byte, costs a third of the Buffer that node:crypto would make for it. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

const BLOCK_BYTES = 4096;

/** More at once is drawn for itself. */
const MAX_BYTES_OF_BLOCK = 256;

/** @returns a source of fresh, unpredictable bytes; no byte is given twice */
export function createNodeRandomSource(): RandomSource {
  const block = new Uint8Array(BLOCK_BYTES);
  let used = BLOCK_BYTES;
  return {
    bytes(length) {
      const bytes = new Uint8Array(length);
      if (bytes.length > MAX_BYTES_OF_BLOCK) return randomFillSync(bytes);
      if (used + bytes.length > BLOCK_BYTES) {
        randomFillSync(block);
        used = 0;
      }
      const end = used + bytes.length;
      bytes.set(block.subarray(used, end));
      // The input may be a secret: it must not stay in this memory.
      block.fill(0, used, end);
      used = end;
      return bytes;
    },
  };
}

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

/** A DSA key of 1024 bits, made for this and thrown away, and its signature over `DSA_PROBE`. */
const DSA_SPKI = [
  'MIIBtjCCASsGByqGSM44BAEwggEeAoGBAJDOAUY6DvkZ8qIe/TXHS/sYWh+KxpeZkguZfc5LugpDYAhXmOw8Ko7KfPyRPFY2TjwW82IGQ720CTj5',
  'Tm5vEExZFQFFw7CgSDuHHYmWqdLO6qmwkwKQXYLGvl6bIrnxjLEwz336PkA3/6+CCdd1+QKYusX+eNLYk/DV1PpaFZQLAhUA3KCspU6lTTkzsfGj',
  '79wKuaNbwZcCgYBOiQt0yn7nKB77LpJMi7k1j5944kLMlbtTe7XC0p6/cxNCGH9/Oazzv+Sm9AWFqmu4eJJLjGDWsSqYJvekQgT27YOt+JvXnuAq',
  '5/KNsVcRHPUprzsb+CnEYAvBAf3aEUhLI/8qF2g2/sYAlAijtler3FfwlA89spbJGQy8tmKfRQOBhAACgYA39pc7EnBJb2/ewzUftC2LI32SbsKs',
  '0KHpmfbn0zXtyrI3kKmnTVq/GVe1lNPehOQInI9/LwSRibfSMGgZKCkr+yYVMARAe1iGa1JZu03NWBkypt/0QtTEbth8Muz+e3aM3FDlEKE96op7',
  'RldXdUJEeNb5USvfmieA2LqKjIHYzg==',
].join('');
const DSA_SIGNATURE = 'MC0CFAJwG9BscD8rAAcDaPLYe1oQ7CB9AhUA1rnMxyU3dmdF0DkidXZlVLUcgc4=';
const DSA_PROBE = 'postern';

let dsaWorks: boolean | undefined;

/**
 * Bun's node:crypto parses a DSA key and throws at the first signature, as BoringSSL has no DSA. Tried once in a process, with
 * a signature that is known to be genuine.
 */
function verifiesDsa(): boolean {
  if (dsaWorks !== undefined) return dsaWorks;
  try {
    const key = parseKey(Buffer.from(DSA_SPKI, 'base64'));
    dsaWorks = verify('sha256', Buffer.from(DSA_PROBE), key, Buffer.from(DSA_SIGNATURE, 'base64'));
  } catch {
    dsaWorks = false;
  }
  return dsaWorks;
}

/** @returns undefined where the algorithm is unknown, or node:crypto lacks it. */
function schemeOf(algorithm: string): Scheme | undefined {
  const scheme = SCHEMES.get(algorithm);
  return scheme?.keyType === 'dsa' && !verifiesDsa() ? undefined : scheme;
}

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
    supports: (algorithm) => schemeOf(algorithm) !== undefined,
    verify: (algorithm, spki, data, signature) => {
      const scheme = schemeOf(algorithm);
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
