/** The grant of an `iam` login: policies, lifetime, alias and metadata become a token (TOKEN-1, TOKEN-2, ALIAS-4, ALIAS-5). */
import type { CallOptions, EpochMillis } from '@postern/ports';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import { tokenLimits } from '../roles/lifetime.js';
import { decidePolicies } from '../roles/policies.js';
import type { Role } from '../roles/role.js';
import { IDENTITY_CONFIG_ID } from '../store/collection.js';
import { DEFAULT_IDENTITY_CONFIG, describeIamGrant } from '../tokens/alias.js';
import { displayName, type Grant, grantToken } from './grant-token.js';
import type { ProvenCaller } from './iam-evidence.js';
import type { InferredInstance } from './inferred-instance.js';

export interface IamGrantQuestion {
  readonly role: Role;
  readonly caller: ProvenCaller;
  /** Undefined where the role does not infer. */
  readonly inferred: InferredInstance | undefined;
  readonly now: EpochMillis;
}

/**
 * Makes the token of a login that was admitted. Nothing is stored.
 *
 * @throws AuthError `policy_not_grantable`, `token_lifetime_exhausted`, `batch_token_too_large`.
 */
export async function grantIamToken(
  context: MethodContext,
  { role, caller, inferred, now }: IamGrantQuestion,
  options: CallOptions,
): Promise<Grant> {
  const granted = decidePolicies(role.token.policies, role.token.noDefaultPolicy);
  if (!granted.allow) throw refuse(granted.code);
  const stored = await context.collections.identityConfig.get(IDENTITY_CONFIG_ID, options);
  const config = stored?.value ?? DEFAULT_IDENTITY_CONFIG;
  const { principal, sessionName } = caller;
  return grantToken(
    context,
    {
      parameters: role.token,
      policies: granted.policies,
      identity: describeIamGrant({ config, principal, role, inferred }),
      displayName: displayName(
        context.options.mountPath,
        sessionName === undefined ? principal.name : `${principal.name}/${sessionName}`,
      ),
      limits: tokenLimits(context.options, role.token, 0),
      renewal: {
        authType: 'iam',
        role: role.name,
        roleId: role.roleId,
        accountId: principal.accountId,
        canonicalArn: principal.canonicalArn,
        clientArn: principal.stsArn,
        uniqueId: principal.uniqueId,
        inferredEntityId: inferred?.entityId ?? '',
        inferredRegion: inferred?.region ?? '',
      },
      now,
    },
    options,
  );
}
