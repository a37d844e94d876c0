/** The principal step of a login or renewal (PRINCIPAL-1): exact bounds first, a question only where a pattern could decide. */
import type { CallContext } from '../call.js';
import { refuse } from '../login/refuse.js';
import type { Role } from '../roles/role.js';
import type { FullArns } from './full-arn-cache.js';
import type { Principal } from './principal.js';
import { matchesExactBound, matchesPatternBound, reachablePatterns } from './principal-matches.js';

/**
 * A role without principal bounds admits any principal that its inference admits (PRINCIPAL-1), and none without inference.
 *
 * @throws AuthError `bound_iam_principal_arn_mismatch`, and what `FullArns.find` throws.
 */
export async function checkPrincipal(
  fullArns: FullArns,
  role: Role,
  principal: Principal,
  call: CallContext,
): Promise<void> {
  if (role.boundIamPrincipalArns.length === 0 && role.inferredEntityType !== '') return;
  if (matchesExactBound(role, principal)) return;
  const patterns = reachablePatterns(role, principal);
  if (patterns.length > 0 && matchesPatternBound(patterns, await fullArns.find(principal, call))) return;
  throw refuse('bound_iam_principal_arn_mismatch');
}
