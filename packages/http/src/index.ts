/** Postern as one web-standard HTTP application. */
export type { HealthCheck, HealthReport } from './health.js';
export { createHttpApp, DEFAULT_BODY_LIMIT_BYTES, type HttpApp, type HttpAppOptions } from './http-app.js';
export type { LoginRate } from './login-rate.js';
export { bodyTooLarge, readBoundedBody } from './request-body.js';
export { type ProfileName, WIRE_PROFILES, type WireProfile } from './wire-profile.js';
