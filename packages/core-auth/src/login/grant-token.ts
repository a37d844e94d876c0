/**
 * The part of a grant that is the same for every way of logging in: lifetime and token (TOKEN-1, TOKEN-2, ALIAS-4 to ALIAS-6),
 * and the one commit of a login, whatever else is in it (LOGIN-8).
 */
import { type CallOptions, type EpochMillis, isStorageError, type Operation, type Version } from '@postern/ports';
import type { CallContext } from '../call.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import { decideLifetime, type LifetimeLimits, lifetimeCut } from '../roles/lifetime.js';
import type { TokenParameters } from '../roles/role.js';
import { entityIdOf, type GrantIdentity } from '../tokens/alias.js';
import { issueBatchToken } from '../tokens/batch-token.js';
import { type IssuedToken, issueToken } from '../tokens/issue-token.js';
import type { RenewalFacts } from '../tokens/token-record.js';

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

/**
 * `auth/cloud` → `cloud`; `auth/team/cloud` → `team-cloud`; with a name `cloud-Bob`, `cloud-deploy/build-17`.
 *
 * @param name of the user, or role and session. An `ec2` login adds none.
 */
export function displayName(mountPath: string, name?: string): string {
  const mount = mountPath.replace(/^auth\//, '').replaceAll('/', '-');
  return name === undefined ? mount : `${mount}-${name}`;
}

/**
 * Commits operations with the record of a token, all or nothing.
 *
 * An unknown outcome is looked up: the token's record is there only if the whole commit applied, and only this call
 * knows its text. Without that, an answer lost on the way would lock out an instance that may log in but once.
 *
 * @returns the new versions in the order of `operations`; none where the commit applied and its answer was lost.
 * @throws StorageError like `Storage.commit`; `outcome_unknown` where the record is not there: it may still arrive.
 */
export async function commitToken(
  { ports, collections }: MethodContext,
  issued: IssuedToken,
  operations: readonly Operation[],
  call: CallContext,
): Promise<readonly (Version | undefined)[]> {
  try {
    return (await ports.storage.commit(issued.write === undefined ? operations : [...operations, issued.write], call))
      .versions;
  } catch (error) {
    // Of a batch token nothing is stored that could tell.
    if (!isStorageError(error) || error.code !== 'outcome_unknown' || issued.write === undefined) throw error;
    const written = await collections.tokens.get(issued.record.accessor, call).catch(() => undefined);
    if (written?.value.digest !== issued.record.digest) throw error;
    return [];
  }
}

/** Takes back the record of a token that its client was never told; of a batch token there is none. */
export async function withdrawToken({ ports, collections }: MethodContext, issued: IssuedToken): Promise<void> {
  if (issued.write === undefined) return;
  await ports.storage.commit([collections.tokens.delete(issued.record.accessor, 'any')]);
}
