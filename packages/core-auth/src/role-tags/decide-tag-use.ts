/**
 * What a verified role tag does to a login (TAG-6, TAG-7): it narrows what the role grants and
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

export type TagUseCode = 'role_tag_instance_mismatch' | 'role_tag_deny_listed' | 'role_tag_policy_not_in_role';

export type TagUseDecision =
  | { readonly allow: true; readonly effects: TagEffects }
  | { readonly allow: false; readonly code: TagUseCode };

/** What is asked of a tag that verified, in the order of judgement. */
export function tagUseChecks(facts: TagUseFacts): readonly { readonly code: TagUseCode; readonly met: boolean }[] {
  const { tag, role, instanceId, denyListed } = facts;
  return [
    { code: 'role_tag_instance_mismatch', met: tag.instanceId === '' || tag.instanceId === instanceId },
    { code: 'role_tag_deny_listed', met: !denyListed },
    { code: 'role_tag_policy_not_in_role', met: policiesBeyondRole(role, tag.policies).length === 0 },
  ];
}

export function decideTagUse(facts: TagUseFacts): TagUseDecision {
  const failed = tagUseChecks(facts).find(({ met }) => !met);
  if (failed !== undefined) return { allow: false, code: failed.code };
  const { tag } = facts;
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
