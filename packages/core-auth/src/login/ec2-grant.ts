/** The grant of an `ec2` login: policies, lifetime, alias and metadata become a token (decisions K1, K2, K7). */
import type { CallOptions, EpochMillis } from '@postern/ports';
import { DEFAULT_IDENTITY_CONFIG } from '../config/identity-config.js';
import type { VerifiedDocument } from '../evidence/identity-document/document.js';
import { IDENTITY_CONFIG_ID, type MethodContext } from '../method-context.js';
import type { Role } from '../roles/role.js';
import { describeEc2Grant, entityIdOf } from '../tokens/alias.js';
import { formatDuration } from '../tokens/duration-text.js';
import { type IssuedToken, issueToken } from '../tokens/issue-token.js';
import { decideLifetime, type LifetimeLimits } from '../tokens/lifetime.js';
import { decidePolicies } from '../tokens/policies.js';
import { displayName } from './display-name.js';
import { refuse } from './refuse.js';

export interface Ec2GrantQuestion {
  readonly role: Role;
  readonly document: VerifiedDocument;
  /** Of a role tag that narrows the role's; undefined without one. */
  readonly tagPolicies: readonly string[] | undefined;
  readonly limits: LifetimeLimits;
  readonly now: EpochMillis;
}

/**
 * Makes the token of a login that was admitted. Nothing is stored: a refusal here leaves no trace on the access list.
 *
 * @throws AuthError `policy_not_grantable`.
 */
export async function grantEc2Token(
  context: MethodContext,
  { role, document, tagPolicies, limits, now }: Ec2GrantQuestion,
  options: CallOptions,
): Promise<{ readonly issued: IssuedToken; readonly warnings: readonly string[] }> {
  const ofRole = decidePolicies(role.token.policies, role.token.noDefaultPolicy);
  // A role that grants nothing grants nothing by way of a tag either.
  if (!ofRole.allow) throw refuse(ofRole.code);
  const granted = tagPolicies === undefined ? ofRole : decidePolicies(tagPolicies, role.token.noDefaultPolicy);
  if (!granted.allow) throw refuse(granted.code);
  const lifetime = decideLifetime({ limits, issuedAt: now, now });
  if (!lifetime.allow) throw refuse(lifetime.code);

  const { tagMaxTtlSeconds } = limits;
  const stored = await context.collections.identityConfig.get(IDENTITY_CONFIG_ID, options);
  const config = stored?.value ?? DEFAULT_IDENTITY_CONFIG;
  const { aliasName, aliasMetadata, tokenMetadata } = describeEc2Grant({ config, document, role, tagMaxTtlSeconds });

  const { mountPath } = context.options;
  const { ttlSeconds } = lifetime;
  const issued = await issueToken(context, {
    policies: granted.policies,
    metadata: tokenMetadata,
    displayName: displayName(mountPath),
    aliasName,
    aliasMetadata,
    entityId: await entityIdOf(context.ports.digest, mountPath, aliasName),
    path: `${mountPath}/login`,
    issuedAt: now,
    expiresAt: now + ttlSeconds * 1000,
    ttlSeconds,
    creationTtlSeconds: ttlSeconds,
    explicitMaxTtlSeconds: role.token.explicitMaxTtlSeconds,
    periodSeconds: role.token.periodSeconds,
    numUses: role.token.numUses,
    ...(role.token.numUses > 0 ? { usesLeft: role.token.numUses } : {}),
    boundCidrs: role.token.boundCidrs,
    renewable: true,
    renewal: {
      authType: 'ec2',
      role: role.name,
      roleId: role.roleId,
      instanceId: document.instanceId,
      accountId: document.accountId,
      region: document.region,
      tagMaxTtlSeconds,
    },
  });
  return { issued, warnings: lifetime.cut ? [lifetimeCut(ttlSeconds)] : [] };
}

/** Said with a login or renewal whose lifetime a maximum made shorter. */
export function lifetimeCut(ttlSeconds: number): string {
  return `the lifetime was cut to ${formatDuration(ttlSeconds)} by a maximum that applies`;
}
