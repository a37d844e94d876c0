import type { FlowCall } from '../call.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import type { Role } from '../roles/role.js';
import type { TagUseFacts } from './decide-tag-use.js';
import { parseRoleTag } from './role-tag.js';
import { digestRoleTag, verifyRoleTag } from './sign-role-tag.js';

export interface TaggedInstance {
  /** Of the verified document. */
  readonly instanceId: string;
  /** As the provider says. */
  readonly tags: ReadonlyMap<string, string>;
}

/** A tag of the role whose MAC was checked: what its use is decided by. Nothing says yet that it may be used. */
export interface VerifiedInstanceTag {
  /** What the deny list knows it by. */
  readonly id: string;
  readonly facts: TagUseFacts;
}

/**
 * The tag of an instance against a role that asks for one.
 *
 * @throws AuthError `role_tag_missing`, `role_tag_invalid`, `role_tag_role_mismatch`.
 */
export async function verifyInstanceTag(
  { ports, collections }: MethodContext,
  role: Role,
  instance: TaggedInstance,
  call: Pick<FlowCall, 'annotate' | 'signal'>,
): Promise<VerifiedInstanceTag> {
  const text = instance.tags.get(role.roleTagKey) ?? '';
  if (text === '') throw refuse('role_tag_missing');
  const unverified = parseRoleTag(text);
  if (unverified === undefined) throw refuse('role_tag_invalid');
  // Before the MAC: it was made with the other role's key, and "invalid" would send the operator the wrong way.
  if (unverified.claims.role !== role.name) throw refuse('role_tag_role_mismatch');
  const verified = await verifyRoleTag(ports.crypto, role.hmacKey, unverified);
  if (verified === undefined) throw refuse('role_tag_invalid');

  const { denyList } = collections;
  const id = await digestRoleTag(ports.crypto, verified.text);
  call.annotate({ details: { role_tag: id } });
  const denyListed = (await denyList.get(id, call)) !== undefined;
  return { id, facts: { tag: verified.tag, role, instanceId: instance.instanceId, denyListed } };
}
