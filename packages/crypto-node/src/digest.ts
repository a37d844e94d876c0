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
    digest: (algorithm, data) => bytesOf(hash(algorithm, data, 'binary')),
    hmac: (algorithm, key, data) => bytesOf(createHmac(algorithm, key).update(data).digest('binary')),
  };
}

/** A digest as text, one character a byte, costs a third of the Buffer that node:crypto would make for it. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
