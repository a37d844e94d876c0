/** The random source of the machine, for what is unique and no secret: WebCrypto, which every supported runtime has. */
import type { RandomSource } from './crypto.js';

export const systemRandom: RandomSource = {
  bytes: (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)),
};
