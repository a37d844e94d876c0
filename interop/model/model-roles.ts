/** The model of roles, of role tags and of the deny list (ROLE-4, ROLE-5, TAG-1, DENY-4, ROLE-15, DENY-3, TAG-4, TAG-5). */
import { type ResolvedCommand, refused } from './answers.js';
import type { Branch } from './branch.js';
import { MOUNT_MAX_TTL, type ModelRole, type ModelState } from './model-state.js';

type Of<Op extends ResolvedCommand['op']> = Extract<ResolvedCommand, { op: Op }>;

const NOTHING_SET: Omit<ModelRole, 'born'> = {
  imageId: '',
  migration: false,
  disallow: false,
  tagKey: '',
  ttl: 0,
  maxTtl: 0,
  explicitMaxTtl: 0,
  period: 0,
  uses: 0,
  type: 'default',
  policies: [],
};

export function modelRoleWrite(state: ModelState, { role: name, change }: Of<'role.write'>, label: string): Branch {
  const role: ModelRole = { ...NOTHING_SET, born: label, ...state.roles[name], ...change };
  const refusal = roleRefusal(role);
  if (refusal !== undefined) return { state, answer: refused(refusal) };
  return { state: { ...state, roles: { ...state.roles, [name]: role } }, answer: { code: 'ok' }, wrote: true };
}

function roleRefusal(role: ModelRole): string | undefined {
  if (role.imageId === '') return 'role_constraint_missing';
  if (role.migration && role.disallow) return 'role_options_exclusive';
  const batchCounts = role.type === 'batch' && (role.period > 0 || role.uses > 0);
  const ttlBeyond = role.maxTtl > 0 && role.ttl > role.maxTtl;
  return batchCounts || ttlBeyond || role.period > MOUNT_MAX_TTL ? 'role_token_parameters_invalid' : undefined;
}

export function modelTag(state: ModelState, { role: name, wish }: Of<'role.tag'>, label: string): Branch {
  const role = state.roles[name];
  const refusal = tagRefusal(role, wish);
  if (role === undefined || refusal !== undefined) return { state, answer: refused(refusal ?? 'role_not_found') };
  const { policies, maxTtl = 0, migration = false, disallow = false, instance } = wish;
  const tag = {
    role: name,
    key: role.born,
    // Set but empty is `default` alone; not set is whatever the role has.
    policies: policies === undefined ? [] : policies.length === 0 ? ['default'] : policies,
    maxTtl,
    migration,
    disallow,
    instance,
  };
  return { state: { ...state, tags: { ...state.tags, [label]: tag } }, answer: { code: 'ok' } };
}

function tagRefusal(role: ModelRole | undefined, wish: Of<'role.tag'>['wish']): string | undefined {
  if (role === undefined) return 'role_not_found';
  if (role.tagKey === '') return 'role_tag_not_enabled';
  if (!(wish.policies ?? []).every((name) => role.policies.includes(name))) return 'tag_policies_not_subset';
  if (wish.migration === true && !role.migration) return 'tag_migration_not_allowed';
  if (wish.migration === true && wish.disallow === true) return 'tag_options_exclusive';
  const greatest = role.maxTtl > 0 ? Math.min(role.maxTtl, MOUNT_MAX_TTL) : MOUNT_MAX_TTL;
  return (wish.maxTtl ?? 0) > greatest ? 'tag_max_ttl_exceeds' : undefined;
}

/** @param label of the tag; one that nobody made is no tag. */
export function modelDeny(state: ModelState, label: string): Branch {
  const tag = state.tags[label];
  if (tag === undefined) return { state, answer: refused('role_tag_invalid') };
  const role = state.roles[tag.role];
  if (role === undefined) return { state, answer: refused('role_not_found') };
  if (role.born !== tag.key) return { state, answer: refused('role_tag_invalid') };
  const expiresAt = state.now + Math.max(tag.maxTtl, role.maxTtl, MOUNT_MAX_TTL) * 1000;
  const entry = { createdAt: state.denied[label]?.createdAt ?? state.now, expiresAt };
  return { state: { ...state, denied: { ...state.denied, [label]: entry } }, answer: { code: 'ok' }, wrote: true };
}
