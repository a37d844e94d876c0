/** The cryptographic ports of Postern on WebCrypto: workers, Deno, Bun and browsers. RSA only: WebCrypto has no DSA. */
export { createWebCryptoVerifier, type WebCryptoSubtle } from './web-crypto.js';
