/**
 * Which instance is the caller (INFER-1, INFER-2)? A session named after
 * an instance proves nothing: the caller who assumes the role chooses the name. So the instance's profile has to hold the
 * caller's role, in the caller's account. Pure.
 */
import { canonicalArn, parseArn } from '../evidence/arn.js';
import type { Principal } from '../principals/principal.js';

const INSTANCE_ID = /^i-[0-9a-f]{1,17}$/;

/** The instance that a session is named after, or undefined where it is named after something else. */
export function instanceOfSession(sessionName: string | undefined): string | undefined {
  return sessionName !== undefined && INSTANCE_ID.test(sessionName) ? sessionName : undefined;
}

/** What the provider said of the roles in a profile; `denied`: we are not permitted to ask. */
export type ProfileRoles = readonly string[] | 'denied' | undefined;

export type InferredProfileDecision =
  | { readonly allow: true; readonly checked: boolean }
  | { readonly allow: false; readonly code: 'inferred_profile_mismatch' | 'inferred_profile_unchecked' };

/**
 * Whether the profile of the instance holds the caller's role.
 *
 * @param requireProfile a profile that could not be read is a denial (ROLE-17).
 */
export function decideInferredProfile(
  principal: Principal,
  roles: ProfileRoles,
  requireProfile: boolean,
): InferredProfileDecision {
  if (roles === 'denied') {
    return requireProfile ? { allow: false, code: 'inferred_profile_unchecked' } : { allow: true, checked: false };
  }
  const holdsRole = principal.type === 'role' && roles?.some((role) => isSameRole(role, principal));
  return holdsRole === true ? { allow: true, checked: true } : { allow: false, code: 'inferred_profile_mismatch' };
}

/** Whether a profile is of the principal's partition and account: profiles hold roles of their own account only. */
export function isOwnProfile(principal: Principal, instanceProfileArn: string): boolean {
  const arn = parseArn(instanceProfileArn);
  return (
    arn?.type === 'instance-profile' && arn.partition === principal.partition && arn.accountId === principal.accountId
  );
}

/** The profile names its role in full, STS without the path: two roles of an account never share a name. */
function isSameRole(fullArn: string, principal: Principal): boolean {
  const arn = parseArn(fullArn);
  return arn?.type === 'role' && canonicalArn(arn) === principal.canonicalArn;
}
