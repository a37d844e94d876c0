/** `Cryptography` on WebCrypto, for workers, Deno, Bun and browsers. RSA only: WebCrypto has no DSA. */
export { createWebCrypto, type WebCrypto } from './web-crypto.js';
