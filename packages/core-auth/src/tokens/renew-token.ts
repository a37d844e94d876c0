/** Renewal of any token: found, renewable, and handed to the flow that logged in (RENEW-1). */

import type { EpochMillis } from '@postern/ports';
import type { FlowCall } from '../call.js';
import { trustedNow } from '../clock-skew.js';
import { AuthError } from '../errors.js';
import type { MethodContext, ResolvedAuthOptions } from '../method-context.js';
import type { GrantAnswer } from '../operation.js';
import { refuse } from '../refuse.js';
import { decideLifetime, type LifetimeLimits, type Lifetimes, lifetimeCut, tokenLimits } from '../roles/terms.js';
import { runOptimistic, unchanged } from '../store/collection.js';
import { authView } from './auth-view.js';
import { findTokenByAccessor, findTokenRecord } from './authenticate.js';
import type { Ec2RenewalFacts, IamRenewalFacts, RenewalFacts, TokenRecord } from './token-record.js';

/** The token of a renewal, as it was found. */
export interface RenewalRequest<Facts extends RenewalFacts> {
  readonly accessor: string;
  readonly facts: Facts;
  readonly incrementSeconds: number | undefined;
  /** Where the holder renews: their address. Undefined where somebody else does. */
  readonly holder: { readonly address: string | undefined } | undefined;
}

/** What a renewal is asked for. */
export type RenewalWish = Pick<RenewalRequest<RenewalFacts>, 'incrementSeconds' | 'holder'>;

export interface RenewedToken {
  readonly record: TokenRecord;
  /** A cap made the lifetime shorter than what was wanted. */
  readonly cut: boolean;
}

export interface RenewalFlow<Facts extends RenewalFacts> {
  /** @throws AuthError with a code of the login or token group; `token_not_found` when it was revoked meanwhile. */
  renew(request: RenewalRequest<Facts>, call: FlowCall): Promise<RenewedToken>;
}

/** By auth type, from facts kept privately on the token: public metadata decides nothing. */
export interface RenewalFlows {
  readonly ec2: RenewalFlow<Ec2RenewalFacts>;
  /** Absent where logins of principals are not served. */
  readonly iam?: RenewalFlow<IamRenewalFacts> | undefined;
}

/**
 * @throws AuthError `token_not_found`, `token_not_renewable`, `auth_type_not_enabled`, and what the flow throws.
 */
export async function renewToken(
  context: MethodContext,
  flows: RenewalFlows,
  token: string,
  wish: RenewalWish,
  call: FlowCall,
): Promise<GrantAnswer> {
  const record = await findTokenRecord(context, token, call);
  if (record === undefined) throw new AuthError('token_not_found', 'token not found or expired');
  return renewFound(context, flows, { token, record }, wish, call);
}

/** A token and its record, as it stood a moment ago. */
export interface FoundToken {
  /** Its text. */
  readonly token: string;
  readonly record: TokenRecord;
}

/** @throws AuthError as `renewToken`; `token_not_found` too where the use that asks was the last one. */
export async function renewFound(
  context: MethodContext,
  flows: RenewalFlows,
  { token, record }: FoundToken,
  wish: RenewalWish,
  call: FlowCall,
): Promise<GrantAnswer> {
  if (record.usesLeft === 0) throw new AuthError('token_not_found', 'token not found or expired');
  const { accessor } = record;
  call.annotate({ token, accessor });
  if (!record.renewable || record.renewal === undefined) throw refuse('token_not_renewable');
  const renewed = await renewBy(context, flows, record.renewal, { accessor, ...wish }, call);
  return {
    auth: authView(token, renewed.record),
    ...(renewed.cut ? { warnings: [lifetimeCut(renewed.record.ttlSeconds)] } : {}),
  };
}

function renewBy(
  context: MethodContext,
  flows: RenewalFlows,
  facts: RenewalFacts,
  request: RenewalWish & { readonly accessor: string },
  call: FlowCall,
) {
  if (facts.authType === 'token') return renewChild(context, request, call);
  if (facts.authType === 'ec2') return flows.ec2.renew({ ...request, facts }, call);
  if (flows.iam === undefined) {
    throw new AuthError('auth_type_not_enabled', 'renewals of type iam are not enabled here');
  }
  return flows.iam.renew({ ...request, facts }, call);
}

export interface ExtensionInput {
  readonly token: TokenRecord;
  /** Of the role as it is now, or the token's own where it has none: policies and bounds stay as they were granted. */
  readonly parameters: Lifetimes;
  /** Zero without a role tag. */
  readonly tagMaxTtlSeconds: number;
  readonly incrementSeconds: number | undefined;
  readonly now: EpochMillis;
}

export interface Extension extends RenewedToken {
  /** What held for the new lifetime. */
  readonly limits: LifetimeLimits;
}

/** The record after a renewal (TOKEN-2): a new lifetime, nothing else. Pure. @throws AuthError `token_lifetime_exhausted`. */
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

/** A child token has no role: its own lifetime and period count, within the mount's maximum and its own (TOKEN-12). */
function renewChild(
  context: MethodContext,
  { accessor, incrementSeconds }: RenewalWish & { readonly accessor: string },
  call: FlowCall,
): Promise<RenewedToken> {
  const { tokens } = context.collections;
  return runOptimistic(async () => {
    const entry = await findTokenByAccessor(context, accessor, call);
    if (entry === undefined) throw new AuthError('token_not_found', 'token not found or expired; log in again');
    const { value: token } = entry;
    const now = trustedNow(context);
    const parameters = { ...token, ttlSeconds: token.creationTtlSeconds, maxTtlSeconds: 0 };
    const question = { token, parameters, tagMaxTtlSeconds: 0, incrementSeconds, now };
    const { record, cut } = extendToken(context.options, question);
    await call.commit([tokens.put(entry.id, record, unchanged(entry), record.expiresAt)]);
    return { record, cut };
  });
}
