/** The auth method over HTTP, without the registry and its page. */

export type { HealthCheck, HealthReport, ReadinessCheck, ReadinessReport } from './auth/answer.js';
export { type AuthAppOptions, createAuthApp } from './auth/auth-app.js';
export { type ProfileName, WIRE_PROFILES, type WireProfile } from './auth/wire-profile.js';
export { createMemoryRateLimiter, type LoginRate, type Rate, type RateOptions } from './rate.js';
export type { ErrorContext, HttpApp, HttpPart, RequestOptions } from './request.js';
export { type BodyBudget, type BodyBudgetLimits, createBodyBudget } from './request.js';
export { bodyTooLarge, DEFAULT_BODY_LIMIT_BYTES, readBoundedBody } from './request-body.js';
export { createSharedRateLimiter, type SharedRateLimiter } from './shared-rates.js';
