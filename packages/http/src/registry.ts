/** The module registry over HTTP, without the auth method and without the page. */

export { createMemoryRateLimiter, type Rate } from './rate.js';
export type { ArchiveOverlay } from './registry/downloads.js';
export type { RegistryAppOptions, RegistryHttpOptions } from './registry/options.js';
export { createRegistryApp } from './registry/registry-app.js';
export { createUrlSigner, type UrlSigner } from './registry/url-signer.js';
