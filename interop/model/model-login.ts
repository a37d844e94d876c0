/**
 * The model of a login (LOGIN-8, NONCE-1 to NONCE-7, ACCESS-2, ACCESS-5, TAG-5 to TAG-7, TOKEN-2): pure, and as short as
 * the tables.
 */
import { lifetime } from './model-lifetime.js';
import {
  type Boot,
  IMAGE_ID,
  type InstanceIndex,
  MOUNT_MAX_TTL,
  type ModelEntry,
  type ModelRole,
  type ModelState,
  type ModelTag,
  type ModelToken,
  type RoleName,
} from './model-state.js';

export interface ModelLogin {
  /** Of the command: names the token and, where one is made, the nonce. */
  readonly label: string;
  readonly role: RoleName;
  readonly instance: InstanceIndex;
  readonly boot: Boot;
  /** Undefined where none is sent. */
  readonly nonce: string | undefined;
}

export type LoginVerdict =
  | { readonly code: string }
  | { readonly code: 'ok'; readonly state: ModelState; readonly token: ModelToken; readonly generated: boolean };

/** @param role as the login read it. */
export function modelLogin(state: ModelState, login: ModelLogin, role: ModelRole | undefined): LoginVerdict {
  if (role === undefined) return { code: 'role_not_found' };
  if (!state.running[login.instance]) return { code: 'instance_not_running' };
  if (role.imageId !== IMAGE_ID) return { code: 'bound_ami_id_mismatch' };
  const tag = role.tagKey === '' ? undefined : judgeTag(state, login, role);
  if (typeof tag === 'string') return { code: tag };

  const entry = state.entries[login.instance];
  const memory = judgeNonce(entry, login, {
    disallow: role.disallow || (tag?.disallow ?? false),
    migration: role.migration && (tag?.migration ?? true),
  });
  if (typeof memory === 'string') return { code: memory };

  const tagMaxTtl = tag?.maxTtl ?? 0;
  const granted = lifetime({ role, tagMaxTtl, explicitMaxTtl: role.explicitMaxTtl, issuedAt: state.now }, state.now);
  if (granted === undefined) return { code: 'token_lifetime_exhausted' };
  const policies = tag !== undefined && tag.policies.length > 0 ? tag.policies : role.policies;
  const batch = role.type === 'batch';
  const token: ModelToken = {
    type: batch ? 'batch' : 'service',
    role: login.role,
    roleBorn: role.born,
    instance: login.instance,
    policies: [...new Set([...policies, 'default'])].sort(),
    issuedAt: state.now,
    expiresAt: state.now + granted * 1000,
    ttl: granted,
    period: batch ? 0 : role.period,
    explicitMaxTtl: role.explicitMaxTtl,
    tagMaxTtl,
    usesLeft: role.uses > 0 ? role.uses : undefined,
  };
  const next: ModelEntry = {
    role: entry?.role ?? login.role,
    nonce: memory.disallow ? '' : memory.nonce,
    disallow: memory.disallow,
    boot: login.boot,
    createdAt: entry?.createdAt ?? state.now,
    updatedAt: state.now,
    expiresAt: entryEnd(state.now, role, tagMaxTtl),
  };
  return {
    code: 'ok',
    token,
    generated: !memory.disallow && memory.nonce === generatedNonce(login.label),
    state: {
      ...state,
      entries: { ...state.entries, [login.instance]: next },
      tokens: { ...state.tokens, [login.label]: token },
    },
  };
}

/** What stands for the text of a nonce that the method made. */
export function generatedNonce(label: string): string {
  return `made by ${label}`;
}

export function isGenerated(nonce: string): boolean {
  return nonce.startsWith('made by ');
}

/** An entry outlives any token of its login or renewal. */
export function entryEnd(now: number, role: ModelRole, tagMaxTtl: number): number {
  return now + Math.max(MOUNT_MAX_TTL, role.maxTtl, tagMaxTtl) * 1000;
}

/** @returns the tag, or why it lets nobody in. */
function judgeTag(state: ModelState, login: ModelLogin, role: ModelRole): ModelTag | string {
  const label = state.carried[login.instance];
  if (label === '') return 'role_tag_missing';
  const tag = state.tags[label];
  if (tag === undefined) return 'role_tag_invalid';
  if (tag.role !== login.role) return 'role_tag_role_mismatch';
  if (tag.key !== role.born) return 'role_tag_invalid';
  if (tag.instance !== undefined && tag.instance !== login.instance) return 'role_tag_instance_mismatch';
  if (state.denied[label] !== undefined) return 'role_tag_deny_listed';
  const known = [...role.policies, 'default'];
  return tag.policies.every((name) => known.includes(name)) ? tag : 'role_tag_policy_not_in_role';
}

interface Rules {
  readonly disallow: boolean;
  readonly migration: boolean;
}

type Memory = { readonly nonce: string; readonly disallow: boolean };

/** The table of NONCE-1 to NONCE-7. */
function judgeNonce(entry: ModelEntry | undefined, login: ModelLogin, rules: Rules): Memory | string {
  const { nonce, boot } = login;
  if (entry === undefined) return fresh(login, rules);
  if (entry.disallow || nonce === '') return 'reauthentication_disabled';
  const known = nonce === entry.nonce;
  if (!known && !rules.migration) return 'nonce_mismatch';
  if (boot < entry.boot) return 'document_older';
  if (known) return { nonce: entry.nonce, disallow: rules.disallow };
  return boot > entry.boot ? fresh(login, rules) : 'nonce_mismatch';
}

function fresh({ nonce, label }: ModelLogin, rules: Rules): Memory | string {
  if (rules.disallow || nonce === '') return { nonce: '', disallow: true };
  if (nonce === undefined) return { nonce: generatedNonce(label), disallow: false };
  return nonce.length > 128 ? 'nonce_too_long' : { nonce, disallow: false };
}
