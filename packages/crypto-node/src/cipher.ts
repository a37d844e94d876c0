/** Authenticated encryption on node:crypto. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Cipher } from '@postern/ports';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The port, with the promise taken away. */
export interface NodeCipher extends Cipher {
  seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, data: Uint8Array): Uint8Array;
  open(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array, data: Uint8Array): Uint8Array | undefined;
}

export function createNodeCipher(): NodeCipher {
  return {
    seal(key, nonce, plaintext, data) {
      checkLengths(key, nonce);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(data);
      const sealed = new Uint8Array(plaintext.length + TAG_BYTES);
      sealed.set(cipher.update(plaintext));
      cipher.final();
      sealed.set(cipher.getAuthTag(), plaintext.length);
      return sealed;
    },
    open(key, nonce, sealed, data) {
      checkLengths(key, nonce);
      const end = sealed.length - TAG_BYTES;
      if (end < 0) return undefined;
      // A length that is named: without it, a tag of four bytes passes as well.
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(data);
      decipher.setAuthTag(sealed.subarray(end));
      const plaintext = new Uint8Array(decipher.update(sealed.subarray(0, end)));
      try {
        decipher.final();
      } catch {
        return undefined;
      }
      return plaintext;
    },
  };
}

function checkLengths(key: Uint8Array, nonce: Uint8Array): void {
  if (key.length !== KEY_BYTES) throw new TypeError(`a key has ${KEY_BYTES} bytes`);
  if (nonce.length !== NONCE_BYTES) throw new TypeError(`a nonce has ${NONCE_BYTES} bytes`);
}
