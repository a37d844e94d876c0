/** The record of a token after a renewal (RENEW-1, TOKEN-2): a new lifetime, nothing else. Pure. */
import type { EpochMillis } from '@postern/ports';
import type { ResolvedAuthOptions } from '../method-context.js';
import { refuse } from '../refuse.js';
import type { TokenParameters } from '../roles/role.js';
import { decideLifetime, type LifetimeLimits, tokenLimits } from '../roles/terms.js';
import type { RenewedToken } from '../tokens/renew-token.js';
import type { TokenRecord } from '../tokens/token-record.js';

export interface ExtensionInput {
  readonly token: TokenRecord;
  /** Of the role as it is now: lifetimes follow it, policies and bounds stay as they were granted. */
  readonly parameters: TokenParameters;
  /** Zero without a role tag. */
  readonly tagMaxTtlSeconds: number;
  readonly incrementSeconds: number | undefined;
  readonly now: EpochMillis;
}

export interface Extension extends RenewedToken {
  /** What held for the new lifetime. */
  readonly limits: LifetimeLimits;
}

/** @throws AuthError `token_lifetime_exhausted`. */
export function extendToken(options: ResolvedAuthOptions, question: ExtensionInput): Extension {
  const { token, parameters, tagMaxTtlSeconds, incrementSeconds, now } = question;
  // Fixed at issue: a role that allows more today does not lengthen a token of yesterday.
  const { explicitMaxTtlSeconds } = token;
  const limits = { ...tokenLimits(options, parameters, tagMaxTtlSeconds), explicitMaxTtlSeconds };
  const lifetime = decideLifetime({ limits, issuedAt: token.issuedAt, now, incrementSeconds });
  if (!lifetime.allow) throw refuse(lifetime.code);
  const { ttlSeconds, cut } = lifetime;
  const record: TokenRecord = {
    ...token,
    ttlSeconds,
    periodSeconds: limits.periodSeconds,
    expiresAt: now + ttlSeconds * 1000,
    lastRenewedAt: now,
  };
  return { record, cut, limits };
}
