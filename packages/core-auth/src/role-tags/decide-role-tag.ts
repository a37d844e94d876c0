/**
 * What a new role tag may hold (TAG-1, TAG-5): never more than its role grants.
 * A tag that could not be used is not made. Pure.
 */
import { lowerAscii } from '@postern/kernel';
import { isName } from '../fields/fields.js';
import { firstRefusal, type Refusal, refuse } from '../roles/refusal.js';
import type { Role } from '../roles/role.js';
import { DEFAULT_POLICY, normalizePolicies } from '../roles/terms.js';
import { isTagPolicyName, normalizeTagPolicies, type RoleTag } from './role-tag.js';

/** As sent; what was not sent is undefined. */
export interface RoleTagWish {
  readonly policies?: readonly string[] | undefined;
  readonly maxTtlSeconds?: number | undefined;
  readonly instanceId?: string | undefined;
  readonly allowInstanceMigration?: boolean | undefined;
  readonly disallowReauthentication?: boolean | undefined;
}

export interface RoleTagFacts {
  readonly role: Role;
  readonly wish: RoleTagWish;
  readonly mountMaxTtlSeconds: number;
  /** 8 random bytes. */
  readonly nonce: Uint8Array;
}

export type RoleTagDecision = { readonly allow: true; readonly tag: RoleTag } | Refusal;

/** @returns the tag to sign, or the first reason why not, in the order of TAG-1. */
export function decideRoleTag({ role, wish, mountMaxTtlSeconds, nonce }: RoleTagFacts): RoleTagDecision {
  if (role.roleTagKey === '') {
    return refuse('role_tag_not_enabled', 'the role has no role_tag, so no tag of it would be looked at');
  }
  const tag: RoleTag = {
    roleKey: 'r',
    nonce,
    role: role.name,
    disallowReauthentication: wish.disallowReauthentication ?? false,
    allowInstanceMigration: wish.allowInstanceMigration ?? false,
    policies: policiesOf(wish.policies),
    instanceId: lowerAscii(wish.instanceId ?? ''),
    maxTtlSeconds: wish.maxTtlSeconds ?? 0,
  };
  const refusal = firstRefusal([
    () => checkPolicies(role, tag.policies),
    () => checkOptions(role, tag),
    () => checkMaxTtl(role, tag.maxTtlSeconds, mountMaxTtlSeconds),
    () => checkInstance(tag.instanceId),
  ]);
  return refusal ?? { allow: true, tag };
}

/**
 * Policies of a tag that the role does not grant. Compared as tokens carry them, so that a role that spells `Prod` has
 * the policy `prod` of a tag; `default` may always be in one (TAG-5).
 */
export function policiesBeyondRole(role: Role, policies: readonly string[]): readonly string[] {
  const granted = new Set([...normalizePolicies(role.token.policies), DEFAULT_POLICY]);
  return policies.filter((name) => !granted.has(name));
}

/** Set but empty means: nothing but `default` (TAG-1). An empty part would mean all that the role has. */
function policiesOf(sent: readonly string[] | undefined): readonly string[] {
  if (sent === undefined) return [];
  return sent.length === 0 ? [DEFAULT_POLICY] : normalizeTagPolicies(sent);
}

function checkPolicies(role: Role, policies: readonly string[]): Refusal | undefined {
  const details = { field: 'policies' };
  if (!policies.every(isTagPolicyName)) {
    return refuse(
      'tag_policy_name_invalid',
      'policies: names in a tag hold no colon, comma, equals sign or control character',
      details,
    );
  }
  if (policiesBeyondRole(role, policies).length === 0) return undefined;
  return refuse('tag_policies_not_subset', 'policies: must all be policies of the role', details);
}

function checkOptions(role: Role, tag: RoleTag): Refusal | undefined {
  if (tag.allowInstanceMigration && !role.allowInstanceMigration) {
    return refuse('tag_migration_not_allowed', 'allow_instance_migration: the role does not allow it', {
      field: 'allow_instance_migration',
    });
  }
  if (!tag.allowInstanceMigration || !tag.disallowReauthentication) return undefined;
  return refuse('tag_options_exclusive', 'allow_instance_migration and disallow_reauthentication exclude each other');
}

function checkMaxTtl(role: Role, maxTtlSeconds: number, mountMaxTtlSeconds: number): Refusal | undefined {
  const roleMax = role.token.maxTtlSeconds;
  const ceiling = roleMax > 0 ? Math.min(roleMax, mountMaxTtlSeconds) : mountMaxTtlSeconds;
  if (maxTtlSeconds <= ceiling) return undefined;
  return refuse('tag_max_ttl_exceeds', `max_ttl: at most ${ceiling} seconds for a tag of this role`, {
    field: 'max_ttl',
  });
}

/** An id is written into the tag as it is. */
function checkInstance(instanceId: string): Refusal | undefined {
  if (instanceId === '' || isName(instanceId)) return undefined;
  return refuse('field_invalid', 'instance_id: must be the id of an instance', { field: 'instance_id' });
}
