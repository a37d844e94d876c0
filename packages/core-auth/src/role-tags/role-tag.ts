/**
 * The text of a role tag (TAG-2, TAG-4): what an operator writes on an instance to narrow
 * what it gets. Every tag has exactly one text: whatever else would read the same is refused (THREAT-33), because the
 * deny list knows tags by their text.
 */
import { decodeBase64, decodeUtf8, encodeBase64, encodeUtf8, lowerAscii } from '@postern/kernel';
import * as z from 'zod';
import { isName } from '../fields/fields.js';
import { MAX_DURATION_SECONDS } from '../fields/limits.js';
import { normalizePolicies, ROOT_POLICY } from '../roles/terms.js';

/** UTF-8 bytes of a whole tag: the provider's limit is 256 characters, clients keep to one less. */
export const MAX_ROLE_TAG_BYTES = 255;
export const ROLE_TAG_NONCE_BYTES = 8;
export const ROLE_TAG_MAC_BYTES = 32;

const VERSION = 'v1';

export interface RoleTag {
  /** How the role is spelled: `r=`, or `a=` in the older form, which is read and never written (TAG-4). */
  readonly roleKey: 'r' | 'a';
  /** 8 random bytes: they make two tags of the same content two tags. */
  readonly nonce: Uint8Array;
  /** Folded name. */
  readonly role: string;
  readonly disallowReauthentication: boolean;
  readonly allowInstanceMigration: boolean;
  /** Normalised: lower case, sorted, no duplicates. Empty: the role's own. */
  readonly policies: readonly string[];
  /** Lower case. Empty: any instance that meets the role. */
  readonly instanceId: string;
  /** Zero: no limit of its own. */
  readonly maxTtlSeconds: number;
}

/** A tag whose MAC has not been checked yet. */
export interface UnverifiedRoleTag {
  readonly claims: RoleTag;
  /** 32 bytes. */
  readonly mac: Uint8Array;
  /** The whole tag as it stood: its only spelling. */
  readonly text: string;
}

/** What the MAC covers: everything before the last colon. The parts must be as `RoleTag` says. */
export function formatRoleTag(tag: RoleTag): string {
  const parts = [VERSION, encodeBase64(tag.nonce), `${tag.roleKey}=${tag.role}`];
  parts.push(`d=${tag.disallowReauthentication}`, `m=${tag.allowInstanceMigration}`);
  if (tag.policies.length > 0) parts.push(`p=${tag.policies.join(',')}`);
  if (tag.instanceId !== '') parts.push(`i=${tag.instanceId}`);
  if (tag.maxTtlSeconds > 0) parts.push(`t=${tag.maxTtlSeconds}`);
  return parts.join(':');
}

/** The whole tag. */
export function joinRoleTag(signed: string, mac: Uint8Array): string {
  return `${signed}:${encodeBase64(mac)}`;
}

/**
 * Reads a tag, syntax only: the MAC is not checked.
 *
 * @returns undefined for a text that is not a tag, is too long, or is not spelled as `formatRoleTag` spells it.
 */
export function parseRoleTag(text: string): UnverifiedRoleTag | undefined {
  if (!isBounded(text)) return undefined;
  const parts = text.split(':');
  const mac = decodeBase64(parts.pop() ?? '');
  const version = parts.shift();
  const nonce = decodeBase64(parts.shift() ?? '');
  if (version !== VERSION || nonce?.length !== ROLE_TAG_NONCE_BYTES || mac?.length !== ROLE_TAG_MAC_BYTES) {
    return undefined;
  }
  const claims = readClaims(parts, nonce);
  if (claims === undefined || parts.length > 0) return undefined;
  // Whatever was read leniently (`d=0`, `t=090`) is spelled otherwise here.
  return joinRoleTag(formatRoleTag(claims), mac) === text ? { claims, mac, text } : undefined;
}

/** Whether a policy can stand in a tag: a delimiter in it would be read as the next part (THREAT-33). */
export function isTagPolicyName(name: string): boolean {
  return name !== '' && !/[\p{Cc}:,=]/u.test(name) && isWellFormed(name);
}

/** As tags hold policies: `root` swallows all others. */
export function normalizeTagPolicies(names: readonly string[]): readonly string[] {
  const normal = normalizePolicies(names);
  return normal.includes(ROOT_POLICY) ? [ROOT_POLICY] : normal;
}

/** Long texts are turned away before anything walks them. */
function isBounded(text: string): boolean {
  return text.length <= MAX_ROLE_TAG_BYTES && encodeUtf8(text).length <= MAX_ROLE_TAG_BYTES;
}

/** A lone surrogate would be signed as U+FFFD: two texts with one MAC. */
function isWellFormed(text: string): boolean {
  return decodeUtf8(encodeUtf8(text)) === text;
}

/** Takes the parts it knows from the front, in their order, and leaves the others. */
function readClaims(parts: string[], nonce: Uint8Array): RoleTag | undefined {
  const roleKey = parts[0]?.startsWith('a=') === true ? 'a' : 'r';
  const claims: RoleTag = {
    roleKey,
    nonce,
    role: take(parts, `${roleKey}=`) ?? '',
    disallowReauthentication: take(parts, 'd=') === 'true',
    allowInstanceMigration: take(parts, 'm=') === 'true',
    policies: take(parts, 'p=')?.split(',') ?? [],
    instanceId: take(parts, 'i=') ?? '',
    maxTtlSeconds: Number(take(parts, 't=') ?? 0),
  };
  return isSound(claims) ? claims : undefined;
}

function take(parts: string[], prefix: string): string | undefined {
  const [first] = parts;
  if (first === undefined || !first.startsWith(prefix)) return undefined;
  parts.shift();
  return first.slice(prefix.length);
}

function isSound({ role, policies, instanceId, maxTtlSeconds }: RoleTag): boolean {
  const normal = normalizeTagPolicies(policies);
  return (
    isFoldedName(role) &&
    policies.length === normal.length &&
    policies.every((name, at) => isTagPolicyName(name) && name === normal[at]) &&
    (instanceId === '' || isFoldedName(instanceId)) &&
    Number.isInteger(maxTtlSeconds) &&
    maxTtlSeconds <= MAX_DURATION_SECONDS
  );
}

function isFoldedName(text: string): boolean {
  return isName(text) && lowerAscii(text) === text;
}

export const denyListEntrySchema = z.strictObject({
  /** The whole tag: lists show it. */
  tag: z.string(),
  createdAt: z.number(),
  /** From here on tidying may remove the entry; until it does, the entry counts. */
  expiresAt: z.number(),
});

export type DenyListEntry = Readonly<z.infer<typeof denyListEntrySchema>>;
