/**
 * Which instance is the caller (INFER-1, INFER-2, INFER-5)? A session named after an instance proves nothing: the caller who
 * assumes the role chooses the name. So the instance's profile has to hold the caller's role, in the caller's account. Where
 * the server is not permitted to look into the profile, its name decides. Pure.
 */
import type { ProfileRole } from '@postern/ports';
import { canonicalArn, parseArn } from '../evidence/arn.js';
import type { Principal } from '../principals/principal.js';
import type { Role } from '../roles/role.js';

const INSTANCE_ID = /^i-[0-9a-f]{1,17}$/;

/** The instance that a session is named after, or undefined where it is named after something else. */
export function instanceOfSession(sessionName: string | undefined): string | undefined {
  return sessionName !== undefined && INSTANCE_ID.test(sessionName) ? sessionName : undefined;
}

/** What the provider said of the roles in a profile; `denied`: the server is not permitted to ask. */
export type ProfileRoles = readonly (ProfileRole | string)[] | 'denied' | undefined;

/** `by_name`: the name of the profile stood for what it holds; `unchecked`: nothing did. */
export type ProfileCheck = 'checked' | 'by_name' | 'unchecked';

export type InferredProfileDecision =
  | { readonly allow: true; readonly check: ProfileCheck }
  | {
      readonly allow: false;
      readonly code: 'inferred_profile_mismatch' | 'inferred_profile_unchecked' | 'inferred_profile_unknown';
    };

/** What a role says of a profile that cannot be looked into (ROLE-18). */
export type ProfileRule = Pick<Role, 'requireInferredProfile' | 'admitUncheckedProfile'>;

/**
 * Whether the profile of the instance holds the caller's role.
 *
 * @param instanceProfileArn of the principal's partition and account.
 */
export function decideInferredProfile(
  principal: Principal,
  instanceProfileArn: string,
  roles: ProfileRoles,
  rule: ProfileRule,
): InferredProfileDecision {
  if (roles === 'denied') {
    if (rule.requireInferredProfile) return { allow: false, code: 'inferred_profile_unchecked' };
    if (rule.admitUncheckedProfile === true) return { allow: true, check: 'unchecked' };
    const isNamedAlike = principal.type === 'role' && parseArn(instanceProfileArn)?.name === principal.name;
    return isNamedAlike ? { allow: true, check: 'by_name' } : { allow: false, code: 'inferred_profile_unknown' };
  }
  const holdsRole = principal.type === 'role' && roles?.some((role) => isSameRole(role, principal));
  return holdsRole === true ? { allow: true, check: 'checked' } : { allow: false, code: 'inferred_profile_mismatch' };
}

/** Whether a profile is of the principal's partition and account: profiles hold roles of their own account only. */
export function isOwnProfile(principal: Principal, instanceProfileArn: string): boolean {
  const arn = parseArn(instanceProfileArn);
  return (
    arn?.type === 'instance-profile' && arn.partition === principal.partition && arn.accountId === principal.accountId
  );
}

/**
 * The profile names its role in full, STS without the path: two roles of an account never share a name. One that was created
 * again does, with another unique id.
 */
function isSameRole(role: ProfileRole | string, principal: Principal): boolean {
  const { arn: fullArn, uniqueId } = typeof role === 'string' ? { arn: role, uniqueId: undefined } : role;
  const arn = parseArn(fullArn);
  if (arn?.type !== 'role' || canonicalArn(arn) !== principal.canonicalArn) return false;
  return uniqueId === undefined || uniqueId === principal.uniqueId;
}

/** Their ARNs, which bounds are compared with. */
export function arnsOfRoles(roles: readonly (ProfileRole | string)[] | undefined): readonly string[] | undefined {
  return roles?.map((role) => (typeof role === 'string' ? role : role.arn));
}
