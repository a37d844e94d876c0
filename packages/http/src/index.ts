/** Postern as one web-standard HTTP application. */
export type { HttpApp } from './fetch-app.js';
export type { HealthCheck, HealthReport } from './health.js';
export { createHttpApp, type HttpAppOptions } from './http-app.js';
export type { LoginRate } from './login-rate.js';
export type { CallRate } from './registry/call-rate.js';
export type { WantsOverlay } from './registry/downloads.js';
export type { RegistryAppOptions, RegistryHttpOptions } from './registry/options.js';
export { createRegistryApp } from './registry/registry-app.js';
export { createUrlSigner, type UrlSigner } from './registry/url-signer.js';
export { createRegistryPage } from './registry-page/create-registry-page.js';
export type { RegistryPage, RegistryPageOptions } from './registry-page/page-options.js';
export { bodyTooLarge, DEFAULT_BODY_LIMIT_BYTES, readBoundedBody } from './request-body.js';
export { type ProfileName, WIRE_PROFILES, type WireProfile } from './wire-profile.js';
