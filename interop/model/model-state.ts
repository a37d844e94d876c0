/**
 * What the small model of the method remembers (ROLE-1, TAG-2, LOGIN-6, DENY-3, ACCESS-2). Written from the specification, and
 * from nothing of core: where the two disagree, one of them is wrong. Names stand for what only a world knows the text of:
 * tokens, tags and generated nonces are known by the label of the command that made them.
 */

export const ROLE_NAMES = ['dev', 'ops'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];
export const INSTANCES = [0, 1] as const;
export type InstanceIndex = (typeof INSTANCES)[number];
/** Which start of an instance a document is from: later ones have a newer pendingTime. */
export type Boot = 0 | 1 | 2;

/** Of the mount, in seconds. */
export const MOUNT_DEFAULT_TTL = 3600;
export const MOUNT_MAX_TTL = 4 * 3600;
export const IMAGE_ID = 'ami-1';
export const TAG_KEY = 'RoleTag';

export interface ModelRole {
  /** The write that created it: its id, and the key of its tags. */
  readonly born: string;
  readonly imageId: string;
  readonly migration: boolean;
  readonly disallow: boolean;
  readonly tagKey: string;
  readonly ttl: number;
  readonly maxTtl: number;
  readonly explicitMaxTtl: number;
  readonly period: number;
  readonly uses: number;
  readonly type: 'service' | 'batch' | 'default';
  readonly policies: readonly string[];
}

export interface ModelEntry {
  readonly role: RoleName;
  /** Empty where logins again are disallowed. */
  readonly nonce: string;
  readonly disallow: boolean;
  readonly boot: Boot;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
}

export interface ModelTag {
  readonly role: RoleName;
  /** `born` of the role whose key signed it. */
  readonly key: string;
  readonly policies: readonly string[];
  readonly maxTtl: number;
  readonly migration: boolean;
  readonly disallow: boolean;
  readonly instance: InstanceIndex | undefined;
}

export interface ModelToken {
  readonly type: 'service' | 'batch';
  readonly role: RoleName;
  readonly roleBorn: string;
  readonly instance: InstanceIndex;
  readonly policies: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly ttl: number;
  readonly period: number;
  readonly explicitMaxTtl: number;
  readonly tagMaxTtl: number;
  /** Undefined: any number. */
  readonly usesLeft: number | undefined;
}

export interface ModelState {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly roles: Readonly<Partial<Record<RoleName, ModelRole>>>;
  readonly entries: Readonly<Partial<Record<InstanceIndex, ModelEntry>>>;
  /** By label of the tag. */
  readonly denied: Readonly<Record<string, { readonly createdAt: number; readonly expiresAt: number }>>;
  /** Records of service tokens, expired ones too, and batch tokens that were handed out. */
  readonly tokens: Readonly<Record<string, ModelToken>>;
  readonly tags: Readonly<Record<string, ModelTag>>;
  /** The label of the tag that an instance carries, `garbage`, or nothing. */
  readonly carried: Readonly<Record<InstanceIndex, string>>;
  readonly running: Readonly<Record<InstanceIndex, boolean>>;
}

export function firstState(now: number): ModelState {
  return {
    now,
    roles: {},
    entries: {},
    denied: {},
    tokens: {},
    tags: {},
    carried: { 0: '', 1: '' },
    running: { 0: true, 1: true },
  };
}

export function without<T>(record: Readonly<Record<string, T>>, key: string | number): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== String(key)));
}
