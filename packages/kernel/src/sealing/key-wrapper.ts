/** A `KeyWrapper` on a key that the host holds: from a key file, a secret of its platform. */
import type { Cipher, KeyWrapper, RandomSource } from '@postern/ports';
import { encodeUtf8 } from '../encoding/bytes.js';
import { openSealedBytes, sealBytes } from './sealed-bytes.js';

const KEY_BYTES = 32;
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
  const boundTo = (context: string) => encodeUtf8(`${DOMAIN}\0${context}`);
  if (key.length !== KEY_BYTES) throw new TypeError(`key: ${KEY_BYTES} bytes`);
  return {
    id,
    wrap: (dataKey, context) => sealBytes(crypto, key, dataKey, boundTo(context)),
    unwrap: (wrapped, context) => openSealedBytes(crypto, key, wrapped, boundTo(context)),
  };
}
