/**
 * Is the principal one that the role is bound to (PRINCIPAL-1, ROLE-9, PROVIDER-1, THREAT-28)?
 * Three ways: by unique id, by ARN where ids are not resolved, by pattern against the full ARN. Each of
 * them counts only within the principal's own partition and account. Pure.
 */
import { hasStar, matchesArnPattern, parseArn } from '../evidence/arn.js';
import type { Role } from '../roles/role.js';
import type { Principal } from './principal.js';

export type PrincipalBindings = Pick<Role, 'boundIamPrincipalArns' | 'boundIamPrincipalIds' | 'resolveUniqueIds'>;

/** Whether a bound without a star admits the principal: what needs no question to the provider. */
export function matchesExactBound(role: PrincipalBindings, principal: Principal): boolean {
  const bounds = role.boundIamPrincipalArns.filter((bound) => !hasStar(bound));
  if (hasBoundId(bounds, role.boundIamPrincipalIds, principal)) return true;
  // With ids resolved, an ARN says only where they came from: a re-created principal has the same.
  if (role.resolveUniqueIds) return false;
  return bounds.some((bound) => bound === principal.canonicalArn || bound === userArn(principal));
}

/**
 * Bounds with a star that could admit the principal, once its full ARN is known. None of them reaches into another
 * account, so none asks about one.
 */
export function reachablePatterns(role: PrincipalBindings, principal: Principal): readonly string[] {
  const { partition, accountId } = principal;
  const prefix = `arn:${partition}:iam::${accountId}:`;
  return role.boundIamPrincipalArns.filter((bound) => hasStar(bound) && bound.startsWith(prefix));
}

/** @param fullArn with its path, of the principal itself. */
export function matchesPatternBound(patterns: readonly string[], fullArn: string): boolean {
  return patterns.some((pattern) => matchesArnPattern(pattern, fullArn));
}

/** An id counts only with the account of the ARN that it was resolved from: nobody promises that ids of two accounts differ. */
function hasBoundId(bounds: readonly string[], ids: readonly string[], principal: Principal): boolean {
  return ids.some((id, at) => {
    const arn = parseArn(bounds[at] ?? '');
    return id === principal.uniqueId && arn?.partition === principal.partition && arn.accountId === principal.accountId;
  });
}

/** STS names a user with its path, which may stand in a bound. The path of a role nobody has proven. */
function userArn({ type, stsArn }: Principal): string | undefined {
  return type === 'user' ? stsArn : undefined;
}
