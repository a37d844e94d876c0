/**
 * The part of a grant that is the same for every way of logging in: lifetime and token (TOKEN-1, TOKEN-2, ALIAS-4 to ALIAS-6),
 * and the one commit of a login, whatever else is in it (LOGIN-8).
 */
import { resolveUnknownCommit } from '@postern/kernel';
import type { CallOptions, EpochMillis, Operation } from '@postern/ports';
import type { AuditFacts, FlowCall } from '../call.js';
import type { MethodContext } from '../method-context.js';
import type { TokenParameters } from '../roles/role.js';
import { lifetimeCut } from '../roles/terms.js';
import { entityIdOf, type GrantIdentity } from '../tokens/alias.js';
import { issueBatchToken } from '../tokens/batch-token.js';
import { type IssuedToken, issueToken } from '../tokens/issue-token.js';
import type { LoginFacts } from '../tokens/token-record.js';
import type { Terms } from './role-checks.js';

export interface GrantInput {
  readonly parameters: TokenParameters;
  readonly terms: Terms;
  readonly identity: GrantIdentity;
  readonly displayName: string;
  readonly renewal: LoginFacts;
  readonly now: EpochMillis;
}

export interface Grant {
  readonly issued: IssuedToken;
  readonly warnings: readonly string[];
}

/**
 * Makes the token of a login that was admitted. Nothing is stored.
 *
 * @throws AuthError `batch_token_too_large`.
 */
export async function grantToken(context: MethodContext, input: GrantInput, options?: CallOptions): Promise<Grant> {
  const { parameters, terms, identity, renewal, now } = input;
  const { policies, ttlSeconds } = terms;
  const { mountPath } = context.options;
  const draft = {
    policies,
    metadata: identity.tokenMetadata,
    displayName: input.displayName,
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
    usesLeft: parameters.numUses > 0 ? parameters.numUses : undefined,
    boundCidrs: parameters.boundCidrs,
    renewable: true,
    renewal,
  };
  const issued =
    parameters.type === 'batch'
      ? await issueBatchToken(context, draft, { name: renewal.role, roleId: renewal.roleId }, options)
      : await issueToken(context, draft);
  return { issued, warnings: terms.cut ? [lifetimeCut(ttlSeconds)] : [] };
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
 * Commits operations with the record of a token and the event of its login, all or nothing.
 *
 * An unknown outcome is looked up: the token's record is there only if the whole commit applied, and only this call
 * knows its text. Without that, an answer lost on the way would lock out an instance that may log in but once.
 *
 * @throws StorageError like `Storage.commit`; `outcome_unknown` where the record is not there: it may still arrive.
 */
export async function commitToken(
  { collections }: MethodContext,
  { token, record, write }: IssuedToken,
  operations: readonly Operation[],
  facts: Pick<AuditFacts, 'nonce' | 'details'>,
  call: FlowCall,
): Promise<void> {
  const { accessor, digest, aliasName: alias, entityId } = record;
  const details = Object.assign({ alias, entity_id: entityId }, facts.details);
  const step = { facts: { accessor, token, nonce: facts.nonce, details } };
  // Nothing is stored of a batch token.
  if (write === undefined) {
    await call.commit(operations, step);
    return;
  }
  await resolveUnknownCommit<true>(
    async () => {
      await call.commit([...operations, write], step);
      return true;
    },
    async () => {
      const stored = await collections.tokens.get(accessor, call);
      return stored?.value.digest === digest ? true : undefined;
    },
  );
}
