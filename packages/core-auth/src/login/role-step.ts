/** The role of a login: given or inferred, there, open to this address and this way of logging in (behaviour sheet 15, 6 to 8). */
import type { CallContext } from '../call.js';
import { AuthError } from '../errors.js';
import { foldRoleName, isName } from '../fields/names.js';
import type { MethodContext } from '../method-context.js';
import type { Role } from '../roles/role.js';
import type { Entry } from '../store/collection.js';
import { isPeerAllowed } from '../tokens/cidr.js';

export interface RoleQuestion {
  /** As typed, or inferred from the proof (the image id, the principal's friendly name). */
  readonly name: string;
  readonly authType: Role['authType'];
}

/**
 * Reads the role and judges what needs no question to the provider, so that a peer outside the bounds costs no call.
 *
 * @throws AuthError `role_not_found`, `peer_address_not_allowed`, `role_auth_type_mismatch`, `token_type_not_enabled`.
 */
export async function findLoginRole(
  { collections }: MethodContext,
  question: RoleQuestion,
  call: CallContext,
): Promise<Entry<Role>> {
  const { name } = question;
  const role = isName(name) ? await collections.roles.get(foldRoleName(name), call) : undefined;
  if (role === undefined) throw new AuthError('role_not_found', 'there is no such role to log in against');
  const { token, authType } = role.value;
  if (!isPeerAllowed(token.boundCidrs, call.peerAddress)) {
    throw new AuthError('peer_address_not_allowed', 'permission denied');
  }
  if (authType !== question.authType) {
    throw new AuthError('role_auth_type_mismatch', `the role does not admit logins of type ${question.authType}`);
  }
  if (token.type === 'batch') {
    throw new AuthError('token_type_not_enabled', 'the role asks for batch tokens, which are not enabled here');
  }
  return role;
}
