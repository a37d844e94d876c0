/** Message digests and MACs on node:crypto. */
import { createHmac, hash } from 'node:crypto';
import type { Digest, DigestAlgorithm, Hmac } from '@postern/ports';

/** The ports, with the promise taken away. */
export interface NodeDigests extends Digest, Hmac {
  digest(algorithm: DigestAlgorithm, data: Uint8Array): Uint8Array;
  hmac(algorithm: DigestAlgorithm, key: Uint8Array, data: Uint8Array): Uint8Array;
}

/** Digests and MACs. The arrays returned are plain: callers compare and slice them without meeting Buffer's `slice`. */
export function createNodeDigests(): NodeDigests {
  return {
    digest: (algorithm, data) => plain(hash(algorithm, data, 'buffer')),
    hmac: (algorithm, key, data) => plain(createHmac(algorithm, key).update(data).digest()),
  };
}

function plain(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
