/**
 * What a role grants: policies, normalised, with `default` added and `root` never granted (TOKEN-3), and lifetimes (TOKEN-2) in
 * whole seconds, never zero, never beyond a cap.
 */

import { lowerAscii } from '@postern/kernel';
import type { EpochMillis } from '@postern/ports';
import type { Role, TokenParameters } from './role.js';

/** Zero means "not set" everywhere but in the mount's two. */
export interface LifetimeLimits {
  readonly mountDefaultTtlSeconds: number;
  readonly mountMaxTtlSeconds: number;
  readonly ttlSeconds: number;
  readonly maxTtlSeconds: number;
  readonly tagMaxTtlSeconds: number;
  readonly explicitMaxTtlSeconds: number;
  readonly periodSeconds: number;
}

export interface LifetimeInput {
  readonly limits: LifetimeLimits;
  readonly issuedAt: EpochMillis;
  /** Equal to `issuedAt` at issue. */
  readonly now: EpochMillis;
  /** What a renewal asks for; zero or less means nothing in particular. A periodic token ignores it. */
  readonly incrementSeconds?: number | undefined;
}

/** `cut`: a cap made it shorter than what was asked for or configured. */
export type Lifetime =
  | { readonly allow: true; readonly ttlSeconds: number; readonly cut: boolean }
  | { readonly allow: false; readonly code: 'token_lifetime_exhausted' };

/** The smallest of the caps that are set: mount, role, role tag, explicit maximum. */
export function effectiveMaxTtlSeconds(limits: LifetimeLimits): number {
  const caps = [limits.mountMaxTtlSeconds, limits.maxTtlSeconds, limits.tagMaxTtlSeconds, limits.explicitMaxTtlSeconds];
  return Math.min(...caps.filter((cap) => cap > 0));
}

/**
 * The lifetime from `now` on. A period renews without end, up to the explicit maximum; any other lifetime ends at the
 * effective maximum after issue.
 */
export function decideLifetime(question: LifetimeInput): Lifetime {
  const { limits, issuedAt, now } = question;
  const effectiveMax = effectiveMaxTtlSeconds(limits);
  const periodic = limits.periodSeconds > 0;
  const wanted = periodic ? limits.periodSeconds : wantedSeconds(question);
  const end = periodic ? limits.explicitMaxTtlSeconds : effectiveMax;
  const left = end > 0 ? Math.floor((issuedAt + end * 1000 - now) / 1000) : Number.POSITIVE_INFINITY;
  const ttlSeconds = Math.min(wanted, effectiveMax, left);
  if (ttlSeconds < 1) return { allow: false, code: 'token_lifetime_exhausted' };
  return { allow: true, ttlSeconds, cut: ttlSeconds < wanted };
}

function wantedSeconds({ limits, incrementSeconds = 0 }: LifetimeInput): number {
  if (incrementSeconds > 0) return incrementSeconds;
  return limits.ttlSeconds > 0 ? limits.ttlSeconds : limits.mountDefaultTtlSeconds;
}

/** How long an access-list entry outlives a login or renewal: the longest a token of it could (ACCESS-2). */
export function entryLifetimeSeconds(limits: LifetimeLimits): number {
  return Math.max(limits.mountMaxTtlSeconds, limits.maxTtlSeconds, limits.tagMaxTtlSeconds);
}

/** Zero: none. */
export type Lifetimes = Pick<
  TokenParameters,
  'ttlSeconds' | 'maxTtlSeconds' | 'explicitMaxTtlSeconds' | 'periodSeconds'
>;

/** The limits that hold for tokens of a role on this mount right now. @param tagMaxTtlSeconds zero without a role tag. */
export function tokenLimits(
  mount: { readonly defaultTtlSeconds: number; readonly maxTtlSeconds: number },
  token: Lifetimes,
  tagMaxTtlSeconds: number,
): LifetimeLimits {
  return {
    mountDefaultTtlSeconds: mount.defaultTtlSeconds,
    mountMaxTtlSeconds: mount.maxTtlSeconds,
    ttlSeconds: token.ttlSeconds,
    maxTtlSeconds: token.maxTtlSeconds,
    tagMaxTtlSeconds,
    explicitMaxTtlSeconds: token.explicitMaxTtlSeconds,
    periodSeconds: token.periodSeconds,
  };
}

/** As login metadata shows durations: `0s`, `5m0s`, `500h0m0s` (ALIAS-4). @param seconds whole, not negative. */
export function formatDuration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = `${seconds % 60}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

/** The warning of a login or renewal whose lifetime a maximum made shorter. */
export function lifetimeCut(ttlSeconds: number): string {
  return `the lifetime was cut to ${formatDuration(ttlSeconds)} by a maximum that applies`;
}

/** May do everything; only ever given by the operator at start-up. */
export const ROOT_POLICY = 'root';
export const DEFAULT_POLICY = 'default';

export type GrantedPolicies =
  | { readonly allow: true; readonly policies: readonly string[] }
  | { readonly allow: false; readonly code: 'policy_not_grantable' };

/** Trimmed, ASCII letters in lower case, no empty names, no duplicates, in code-unit order. */
export function normalizePolicies(names: readonly string[]): readonly string[] {
  const normal = names.map((name) => lowerAscii(name.trim())).filter((name) => name !== '');
  return [...new Set(normal)].sort();
}

/** What a login against a role with these policies is granted. A role that names `root` grants nothing at all. */
export function decidePolicies(names: readonly string[], noDefaultPolicy: boolean): GrantedPolicies {
  const policies = normalizePolicies(noDefaultPolicy ? names : [...names, DEFAULT_POLICY]);
  if (policies.includes(ROOT_POLICY)) return { allow: false, code: 'policy_not_grantable' };
  return { allow: true, policies };
}

/**
 * Every policy that some login against the role is granted now: what its tokens may hold. A role tag may name `default` even
 * where the role leaves it out (TAG-5).
 */
export function grantablePolicies({ token, roleTagKey }: Pick<Role, 'token' | 'roleTagKey'>): GrantedPolicies {
  return decidePolicies(token.policies, token.noDefaultPolicy && roleTagKey === '');
}
