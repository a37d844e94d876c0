/** The grant of an `ec2` login: policies, lifetime, alias and metadata become a token (TOKEN-1, TOKEN-2, ALIAS-4, ALIAS-5). */
import type { CallOptions, EpochMillis } from '@postern/ports';
import type { VerifiedDocument } from '../evidence/identity-document/document.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import type { LifetimeLimits } from '../roles/lifetime.js';
import { decidePolicies, type GrantedPolicies } from '../roles/policies.js';
import type { Role } from '../roles/role.js';
import { IDENTITY_CONFIG_ID } from '../store/collection.js';
import { DEFAULT_IDENTITY_CONFIG, describeEc2Grant } from '../tokens/alias.js';
import { displayName, type Grant, grantToken } from './grant-token.js';

export interface Ec2GrantQuestion {
  readonly role: Role;
  readonly document: VerifiedDocument;
  /** Of a role tag that narrows the role's; undefined without one. */
  readonly tagPolicies: readonly string[] | undefined;
  readonly limits: LifetimeLimits;
  readonly now: EpochMillis;
}

/** The policies of a login: the role's, or those of a role tag that narrows them. Pure. */
export function decideEc2Policies(role: Role, tagPolicies: readonly string[] | undefined): GrantedPolicies {
  const ofRole = decidePolicies(role.token.policies, role.token.noDefaultPolicy);
  // A role that grants nothing grants nothing by way of a tag either.
  if (!ofRole.allow || tagPolicies === undefined) return ofRole;
  return decidePolicies(tagPolicies, role.token.noDefaultPolicy);
}

/**
 * Makes the token of a login that was admitted. Nothing is stored: a refusal here leaves no trace on the access list.
 *
 * @throws AuthError `policy_not_grantable`, `token_lifetime_exhausted`, `batch_token_too_large`.
 */
export async function grantEc2Token(
  context: MethodContext,
  { role, document, tagPolicies, limits, now }: Ec2GrantQuestion,
  options: CallOptions,
): Promise<Grant> {
  const granted = decideEc2Policies(role, tagPolicies);
  if (!granted.allow) throw refuse(granted.code);

  const { tagMaxTtlSeconds } = limits;
  const stored = await context.collections.identityConfig.get(IDENTITY_CONFIG_ID, options);
  const config = stored?.value ?? DEFAULT_IDENTITY_CONFIG;
  return grantToken(
    context,
    {
      parameters: role.token,
      policies: granted.policies,
      identity: describeEc2Grant({ config, document, role, tagMaxTtlSeconds }),
      displayName: displayName(context.options.mountPath),
      limits,
      renewal: {
        authType: 'ec2',
        role: role.name,
        roleId: role.roleId,
        instanceId: document.instanceId,
        accountId: document.accountId,
        region: document.region,
        tagMaxTtlSeconds,
      },
      now,
    },
    options,
  );
}
