/** The role of a login: given or inferred, there, open to this address and this way of logging in (LOGIN-5). */

import type { FlowCall } from '../call.js';
import { AuthError } from '../errors.js';
import { foldRoleName, isName } from '../fields/names.js';
import type { MethodContext } from '../method-context.js';
import { isPeerAllowed } from '../roles/cidr.js';
import type { Role } from '../roles/role.js';
import type { Entry } from '../store/collection.js';

export interface RoleQuestion {
  /** As typed, or inferred from the proof (the image id, the principal's friendly name). */
  readonly name: string;
  readonly authType: Role['authType'];
}

/**
 * Reads the role and judges what needs no question to the provider, so that a peer outside the bounds costs no call.
 * The audit event names the role whatever comes of it (AUDIT-1), unless the text can be no name.
 *
 * @throws AuthError `role_not_found`, `peer_address_not_allowed`, `role_auth_type_mismatch`.
 */
export async function findLoginRole(
  { collections }: MethodContext,
  question: RoleQuestion,
  call: FlowCall,
): Promise<Entry<Role>> {
  const name = isName(question.name) ? foldRoleName(question.name) : undefined;
  if (name !== undefined) call.note({ role: name });
  const role = name === undefined ? undefined : await collections.roles.get(name, call);
  if (role === undefined) throw new AuthError('role_not_found', 'there is no such role to log in against');
  const failed = loginRoleChecks(role.value, question.authType, call.peerAddress).find(({ met }) => !met);
  if (failed !== undefined) throw new AuthError(failed.code, failed.message);
  return role;
}

export interface LoginRoleCheck {
  readonly code: 'peer_address_not_allowed' | 'role_auth_type_mismatch';
  readonly met: boolean;
  /** For whoever tries to log in. */
  readonly message: string;
}

/** What a role asks of any login before its proof is held against the bounds, in the order of judgement. Pure. */
export function loginRoleChecks(
  { token, authType }: Role,
  loginType: Role['authType'],
  peerAddress: string | undefined,
): readonly LoginRoleCheck[] {
  return [
    {
      code: 'peer_address_not_allowed',
      met: isPeerAllowed(token.boundCidrs, peerAddress),
      message: 'permission denied',
    },
    {
      code: 'role_auth_type_mismatch',
      met: authType === loginType,
      message: `the role does not admit logins of type ${loginType}`,
    },
  ];
}
