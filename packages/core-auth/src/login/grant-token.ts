/** The part of a grant that is the same for every way of logging in: lifetime and token (TOKEN-1, TOKEN-2, ALIAS-4, ALIAS-5). */
import type { CallOptions, EpochMillis } from '@postern/ports';
import type { MethodContext } from '../method-context.js';
import type { TokenParameters } from '../roles/role.js';
import { entityIdOf, type GrantIdentity } from '../tokens/alias.js';
import { issueBatchToken } from '../tokens/batch-token.js';
import { formatDuration } from '../tokens/duration-text.js';
import { type IssuedToken, issueToken } from '../tokens/issue-token.js';
import { decideLifetime, type LifetimeLimits } from '../tokens/lifetime.js';
import type { RenewalFacts } from '../tokens/token-record.js';
import { refuse } from './refuse.js';

export interface GrantQuestion {
  readonly parameters: TokenParameters;
  /** As granted: normalised, and narrowed where something narrows them. */
  readonly policies: readonly string[];
  readonly identity: GrantIdentity;
  readonly displayName: string;
  readonly limits: LifetimeLimits;
  readonly renewal: RenewalFacts;
  readonly now: EpochMillis;
}

export interface Grant {
  readonly issued: IssuedToken;
  readonly warnings: readonly string[];
}

/**
 * Makes the token of a login that was admitted. Nothing is stored.
 *
 * @throws AuthError `batch_token_too_large`; `token_lifetime_exhausted` where limits leave nothing to grant.
 */
export async function grantToken(
  context: MethodContext,
  question: GrantQuestion,
  options?: CallOptions,
): Promise<Grant> {
  const { parameters, policies, identity, limits, renewal, now } = question;
  const lifetime = decideLifetime({ limits, issuedAt: now, now });
  if (!lifetime.allow) throw refuse(lifetime.code);
  const { mountPath } = context.options;
  const { ttlSeconds } = lifetime;
  const draft = {
    policies,
    metadata: identity.tokenMetadata,
    displayName: question.displayName,
    aliasName: identity.aliasName,
    aliasMetadata: identity.aliasMetadata,
    entityId: await entityIdOf(context.ports.crypto, mountPath, identity.aliasName),
    path: `${mountPath}/login`,
    issuedAt: now,
    expiresAt: now + ttlSeconds * 1000,
    ttlSeconds,
    creationTtlSeconds: ttlSeconds,
    explicitMaxTtlSeconds: parameters.explicitMaxTtlSeconds,
    periodSeconds: parameters.periodSeconds,
    numUses: parameters.numUses,
    ...(parameters.numUses > 0 ? { usesLeft: parameters.numUses } : {}),
    boundCidrs: parameters.boundCidrs,
    renewable: true,
    renewal,
  };
  const issued =
    parameters.type === 'batch' ? await issueBatchToken(context, draft, options) : await issueToken(context, draft);
  return { issued, warnings: lifetime.cut ? [lifetimeCut(ttlSeconds)] : [] };
}

/** Said with a login or renewal whose lifetime a maximum made shorter. */
export function lifetimeCut(ttlSeconds: number): string {
  return `the lifetime was cut to ${formatDuration(ttlSeconds)} by a maximum that applies`;
}
