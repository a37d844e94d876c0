/** Authenticated encryption on a WebCrypto that is given. */
import type { Cipher } from '@postern/ports';
import { unshared } from './unshared.js';

const AES_GCM = 'AES-GCM';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys are imported at each call: they are many and short-lived, unlike those of certificates. */
export function createWebCryptoCipher(subtle: SubtleCrypto): Cipher {
  async function prepare(key: Uint8Array, nonce: Uint8Array, data: Uint8Array, usage: 'encrypt' | 'decrypt') {
    if (key.length !== KEY_BYTES) throw new TypeError(`a key has ${KEY_BYTES} bytes`);
    if (nonce.length !== NONCE_BYTES) throw new TypeError(`a nonce has ${NONCE_BYTES} bytes`);
    const imported = await subtle.importKey('raw', unshared(key), AES_GCM, false, [usage]);
    const parameters = {
      name: AES_GCM,
      iv: unshared(nonce),
      additionalData: unshared(data),
      tagLength: TAG_BYTES * 8,
    };
    return { imported, parameters };
  }

  return {
    async seal(key, nonce, plaintext, data) {
      const { imported, parameters } = await prepare(key, nonce, data, 'encrypt');
      return new Uint8Array(await subtle.encrypt(parameters, imported, unshared(plaintext)));
    },
    async open(key, nonce, sealed, data) {
      const { imported, parameters } = await prepare(key, nonce, data, 'decrypt');
      if (sealed.length < TAG_BYTES) return undefined;
      try {
        return new Uint8Array(await subtle.decrypt(parameters, imported, unshared(sealed)));
      } catch {
        // WebCrypto has one error for everything that is not genuine, and none of its own for anything else by here.
        return undefined;
      }
    },
  };
}
