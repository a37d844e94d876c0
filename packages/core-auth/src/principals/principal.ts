/**
 * A principal as the binding rules see it, just proven or kept on its token (PRINCIPAL-1, RENEW-3), and whether a role admits
 * it: exact bounds first, a question to the provider only where a pattern could decide.
 */

import type { CallContext } from '../call.js';
import { canonicalArn, hasStar, matchesArnPattern, parseArn } from '../evidence/arn.js';
import { refuse } from '../refuse.js';

export interface Principal {
  readonly partition: string;
  readonly accountId: string;
  /** Of an assumed role: the role. */
  readonly type: 'user' | 'role';
  /** Friendly name. */
  readonly name: string;
  /** Survives no re-creation. */
  readonly uniqueId: string;
  /** Without path or session. */
  readonly canonicalArn: string;
  /** As STS wrote it: a user with its path, an assumed role with its session. */
  readonly stsArn: string;
}

/** Undefined where the ARN is of neither a user nor an assumed role. */
export function principalOf(stsArn: string, uniqueId: string): Principal | undefined {
  const arn = parseArn(stsArn);
  if (arn === undefined || uniqueId === '') return undefined;
  if (arn.type !== 'user' && arn.type !== 'assumed-role') return undefined;
  return {
    partition: arn.partition,
    accountId: arn.accountId,
    type: arn.type === 'user' ? 'user' : 'role',
    name: arn.name,
    uniqueId,
    canonicalArn: canonicalArn(arn),
    stsArn,
  };
}

/** Full ARNs, path included, of principals that STS names without it. */
export interface FullArns {
  /**
   * @returns the full ARN of the principal of that unique id.
   * @throws AuthError `principal_not_found` if no principal has its name; `principal_mismatch` where that one is
   *   another; `account_not_allowed`, `provider_unavailable`, `provider_denied`, `provider_misconfigured`.
   */
  find(principal: Principal, call: CallContext): Promise<string>;
  /** A proof has just shown that the principal exists. */
  confirmed(principal: Principal): void;
  /**
   * The principal that logged in still exists (RENEW-3): asked about, unless it was confirmed within the hour. Passes where
   * the provider does not let this server ask.
   *
   * @throws AuthError `principal_not_found`, `principal_mismatch`, `provider_unavailable`.
   */
  confirm(principal: Principal, call: CallContext): Promise<void>;
}

/** What of a role binds principals. */
export interface PrincipalBounds {
  readonly boundIamPrincipalArns: readonly string[];
  /** Of the ARNs without a star, in their order, where unique ids are resolved. */
  readonly boundIamPrincipalIds: readonly string[];
  readonly resolveUniqueIds: boolean;
}

export interface PrincipalBindings extends PrincipalBounds {
  /** Empty: the role does not infer. */
  readonly inferredEntityType: string;
}

/**
 * A role without principal bounds admits any principal that its inference admits (PRINCIPAL-1), and none without inference.
 *
 * @throws AuthError `bound_iam_principal_arn_mismatch`, and what `FullArns.find` throws.
 */
export async function checkPrincipal(
  fullArns: FullArns,
  role: PrincipalBindings,
  principal: Principal,
  call: CallContext,
): Promise<void> {
  if (role.boundIamPrincipalArns.length === 0 && role.inferredEntityType !== '') return;
  if (matchesExactBound(role, principal)) return;
  const patterns = reachablePatterns(role, principal);
  if (patterns.length > 0 && matchesPatternBound(patterns, await fullArns.find(principal, call))) return;
  throw refuse('bound_iam_principal_arn_mismatch');
}

/** Whether a bound without a star admits the principal: what needs no question to the provider. */
export function matchesExactBound(role: PrincipalBounds, principal: Principal): boolean {
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
export function reachablePatterns(role: PrincipalBounds, principal: Principal): readonly string[] {
  const { partition, accountId } = principal;
  const prefix = `arn:${partition}:iam::${accountId}:`;
  return role.boundIamPrincipalArns.filter((bound) => hasStar(bound) && bound.startsWith(prefix));
}

/** @param fullArn with its path, of the principal itself. */
export function matchesPatternBound(patterns: readonly string[], fullArn: string): boolean {
  return patterns.some((pattern) => matchesArnPattern(pattern, fullArn));
}

/** An id counts only with the account of the ARN that it was resolved from: ids of two accounts are not promised to differ. */
function hasBoundId(bounds: readonly string[], ids: readonly string[], principal: Principal): boolean {
  return ids.some((id, at) => {
    const arn = parseArn(bounds[at] ?? '');
    return id === principal.uniqueId && arn?.partition === principal.partition && arn.accountId === principal.accountId;
  });
}

/** STS names a user with its path, which may stand in a bound. The path of a role is not proven. */
function userArn({ type, stsArn }: Principal): string | undefined {
  return type === 'user' ? stsArn : undefined;
}
