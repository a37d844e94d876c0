/** Bytes sealed with AES-256-GCM under a nonce of their own, which stands before them. */
import type { Cipher, RandomSource } from '@postern/ports';

const NONCE_BYTES = 12;

/** @param purpose what they are bound to: under another they do not open. */
export async function sealBytes(
  crypto: Cipher & RandomSource,
  key: Uint8Array,
  bytes: Uint8Array,
  purpose: Uint8Array,
): Promise<Uint8Array> {
  const nonce = crypto.bytes(NONCE_BYTES);
  const sealed = await crypto.seal(key, nonce, bytes, purpose);
  const joined = new Uint8Array(NONCE_BYTES + sealed.length);
  joined.set(nonce);
  joined.set(sealed, NONCE_BYTES);
  return joined;
}

/** Undefined for what is too short, altered, or sealed under another key or for another purpose. */
export async function openSealedBytes(
  crypto: Cipher,
  key: Uint8Array,
  sealed: Uint8Array,
  purpose: Uint8Array,
): Promise<Uint8Array | undefined> {
  if (sealed.length < NONCE_BYTES) return undefined;
  return crypto.open(key, sealed.subarray(0, NONCE_BYTES), sealed.subarray(NONCE_BYTES), purpose);
}
