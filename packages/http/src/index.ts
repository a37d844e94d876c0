/** Postern as one web-standard HTTP application: the auth method, the registry and its page over one router. */
export type { HttpApp } from './fetch-app.js';
export type { HealthCheck, HealthReport } from './health.js';
export { createHttpApp, type HttpAppOptions } from './http-app.js';
export type { LoginRate } from './login-rate.js';
export * from './page.js';
export * from './registry.js';
export { bodyTooLarge, DEFAULT_BODY_LIMIT_BYTES, readBoundedBody } from './request-body.js';
export { type ProfileName, WIRE_PROFILES, type WireProfile } from './wire-profile.js';
