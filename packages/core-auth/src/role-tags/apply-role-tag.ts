/** The role tag of an instance that logs in, found, verified and judged in the order of TAG-6. */
import type { Operation } from '@postern/ports';
import type { FlowCall } from '../call.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import type { Role } from '../roles/role.js';
import { decideTagUse, NO_TAG_EFFECTS, type TagEffects, type TagUseFacts } from './decide-tag-use.js';
import { parseRoleTag } from './role-tag.js';
import { digestRoleTag, verifyRoleTag } from './sign-role-tag.js';

export interface TaggedInstance {
  /** Of the verified document. */
  readonly instanceId: string;
  /** As the provider says. */
  readonly tags: ReadonlyMap<string, string>;
}

export interface AppliedRoleTag {
  readonly effects: TagEffects;
  /**
   * Must hold in the very commit of the login: a tag that is deny-listed while this login decides is then met by a
   * conflict, so that once the operator has the answer no login with it succeeds (THREAT-33).
   */
  readonly conditions: readonly Operation[];
}

/**
 * Nothing is looked at where the role asks for no tag.
 *
 * @throws AuthError `role_tag_missing`, `role_tag_invalid`, `role_tag_role_mismatch`, `role_tag_instance_mismatch`,
 *   `role_tag_deny_listed`, `role_tag_policy_not_in_role`.
 */
export async function applyRoleTag(
  context: MethodContext,
  role: Role,
  instance: TaggedInstance,
  call: FlowCall,
): Promise<AppliedRoleTag> {
  if (role.roleTagKey === '') return { effects: NO_TAG_EFFECTS, conditions: [] };
  const { id, facts } = await verifyInstanceTag(context, role, instance, call);
  const decided = decideTagUse(facts);
  if (!decided.allow) throw refuse(decided.code);
  return { effects: decided.effects, conditions: [context.collections.denyList.check(id, 'absent')] };
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
  call: Pick<FlowCall, 'note' | 'signal'>,
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
  call.note({ details: { role_tag: id } });
  const denyListed = (await denyList.get(id, call)) !== undefined;
  return { id, facts: { tag: verified.tag, role, instanceId: instance.instanceId, denyListed } };
}
