/** A `KeyWrapper` on a key that the host holds: from a key file, a secret of its platform. */
import type { Cipher, KeyWrapper, RandomSource } from '@postern/ports';
import { encodeUtf8 } from '../encoding/bytes.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
/** No other use of the key wraps under the same words. */
const DOMAIN = 'postern-wrapped-key';

/** A key that wraps data keys. */
export interface WrappingKey {
  /** Names the key; another key needs another. It is stored and shown: not a secret. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/**
 * Wraps with AES-256-GCM under one key.
 *
 * @throws TypeError for a key of another length.
 */
export function createKeyWrapper(crypto: Cipher & RandomSource, { id, key }: WrappingKey): KeyWrapper {
  if (key.length !== KEY_BYTES) throw new TypeError(`key: ${KEY_BYTES} bytes`);
  return {
    id,
    async wrap(dataKey, context) {
      const nonce = crypto.bytes(NONCE_BYTES);
      const sealed = await crypto.seal(key, nonce, dataKey, encodeUtf8(`${DOMAIN}\0${context}`));
      const wrapped = new Uint8Array(NONCE_BYTES + sealed.length);
      wrapped.set(nonce);
      wrapped.set(sealed, NONCE_BYTES);
      return wrapped;
    },
    async unwrap(wrapped, context) {
      if (wrapped.length < NONCE_BYTES) return undefined;
      const nonce = wrapped.subarray(0, NONCE_BYTES);
      return crypto.open(key, nonce, wrapped.subarray(NONCE_BYTES), encodeUtf8(`${DOMAIN}\0${context}`));
    },
  };
}
