/**
 * What a verified role tag does to a login (behaviour sheet 11.4, decision T4): it narrows what the role grants and
 * never widens it. The role as it stands now wins over what it was when the tag was made. Pure.
 */
import type { Role } from '../roles/role.js';
import { policiesBeyondRole } from './decide-role-tag.js';
import type { RoleTag } from './role-tag.js';

/** How a login is narrowed. */
export interface TagEffects {
  /** Instead of the role's; undefined leaves the role's. */
  readonly policies: readonly string[] | undefined;
  /** One more cap on the lifetime of tokens; zero for none. */
  readonly maxTtlSeconds: number;
  /** Either role or tag is enough. */
  readonly disallowReauthentication: boolean;
  /** Role and tag must both allow it. */
  readonly allowInstanceMigration: boolean;
}

/** A login against a role without role tags. */
export const NO_TAG_EFFECTS: TagEffects = {
  policies: undefined,
  maxTtlSeconds: 0,
  disallowReauthentication: false,
  allowInstanceMigration: true,
};

export interface TagUseFacts {
  /** Its MAC was checked with the key of `role`. */
  readonly tag: RoleTag;
  readonly role: Role;
  /** Of the verified document. */
  readonly instanceId: string;
  readonly denyListed: boolean;
}

export type TagUseDecision =
  | { readonly allow: true; readonly effects: TagEffects }
  | {
      readonly allow: false;
      readonly code: 'role_tag_instance_mismatch' | 'role_tag_deny_listed' | 'role_tag_policy_not_in_role';
    };

export function decideTagUse({ tag, role, instanceId, denyListed }: TagUseFacts): TagUseDecision {
  if (tag.instanceId !== '' && tag.instanceId !== instanceId) {
    return { allow: false, code: 'role_tag_instance_mismatch' };
  }
  if (denyListed) return { allow: false, code: 'role_tag_deny_listed' };
  if (policiesBeyondRole(role, tag.policies).length > 0) return { allow: false, code: 'role_tag_policy_not_in_role' };
  return {
    allow: true,
    effects: {
      policies: tag.policies.length > 0 ? tag.policies : undefined,
      maxTtlSeconds: tag.maxTtlSeconds,
      disallowReauthentication: tag.disallowReauthentication,
      allowInstanceMigration: tag.allowInstanceMigration,
    },
  };
}
