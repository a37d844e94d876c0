/**
 * Does a role still grant what a token of it holds (RENEW-4)? Policies, addresses and the constraints on the instance, as the
 * role is now. What no longer holds ends the token: its holder may log in again, and gets what the role grants now.
 */
import type { FlowCall } from '../call.js';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { intersectCidrs, isPeerAllowed } from '../roles/cidr.js';
import type { Role } from '../roles/role.js';
import { grantablePolicies } from '../roles/terms.js';
import { type Entry, unchanged } from '../store/collection.js';
import type { TokenRecord } from '../tokens/token-record.js';
import { type BindingFacts, decideBindings } from './decide-bindings.js';

export interface NarrowingFacts {
  /** Of the holder; not asked about where somebody else renews. */
  readonly peer: { readonly address: string | undefined } | undefined;
  /** Of an instance that the role looks at. */
  readonly bindings: BindingFacts | undefined;
}

export type NarrowingDecision =
  | { readonly narrowed: false; readonly boundCidrs: readonly string[] }
  /** `what` no longer holds: a code of a denied login, or `policies`. */
  | { readonly narrowed: true; readonly what: string };

/** Pure. */
export function decideNarrowing(
  role: Role,
  token: Pick<TokenRecord, 'policies' | 'boundCidrs'>,
  facts: NarrowingFacts,
): NarrowingDecision {
  const granted = grantablePolicies(role);
  if (!granted.allow || !token.policies.every((policy) => granted.policies.includes(policy))) {
    return { narrowed: true, what: 'policies' };
  }
  const boundCidrs = intersectCidrs(token.boundCidrs, role.token.boundCidrs);
  const isPeerOut = facts.peer !== undefined && !isPeerAllowed(role.token.boundCidrs, facts.peer.address);
  if (boundCidrs === undefined || isPeerOut) return { narrowed: true, what: 'peer_address_not_allowed' };
  const bound = facts.bindings === undefined ? undefined : decideBindings(role, facts.bindings);
  return bound?.allow === false ? { narrowed: true, what: bound.code } : { narrowed: false, boundCidrs };
}

/**
 * Ends a token whose role narrowed, if both are still as they were read, and says so.
 *
 * @throws AuthError `role_narrowed`, always; StorageError `conflict` where one of them has changed.
 */
export async function endNarrowed(
  { collections }: MethodContext,
  { token, role }: { readonly token: Entry<TokenRecord>; readonly role: Entry<Role> },
  what: string,
  call: FlowCall,
): Promise<never> {
  call.annotate({ details: { narrowed: what } });
  const { roles, tokens } = collections;
  const operations = [roles.check(role.id, unchanged(role)), tokens.delete(token.id, unchanged(token))];
  // The call is refused: the event of its end comes on its own.
  await call.commit(operations, { intent: true });
  const text = `the role no longer allows what this token was granted (${what}); log in again`;
  throw new AuthError('role_narrowed', text, { reason: what });
}
