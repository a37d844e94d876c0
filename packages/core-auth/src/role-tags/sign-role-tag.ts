/**
 * The MAC of a role tag (TAG-3, TAG-4): HMAC-SHA256 under the key of the tag's role. A role that was
 * deleted and made again has another key, so tags of its former self are dead (THREAT-32).
 */

import { encodeBase64Url, encodeUtf8, equalConstantTime } from '@postern/kernel';
import type { Digest, Hmac } from '@postern/ports';
import { formatRoleTag, joinRoleTag, type RoleTag, type UnverifiedRoleTag } from './role-tag.js';

/** A tag that the holder of its role's key made. Whether it may be used by this instance, now, is not said. */
export interface VerifiedRoleTag {
  readonly tag: RoleTag;
  /** The whole tag: its only spelling. */
  readonly text: string;
}

/** The whole tag as it is written on an instance. @param key the role's, as text. */
export async function signRoleTag(hmac: Hmac, key: string, tag: RoleTag): Promise<string> {
  const signed = formatRoleTag(tag);
  return joinRoleTag(signed, await macOf(hmac, key, signed));
}

/** @returns undefined when the MAC is not that of `key`. */
export async function verifyRoleTag(
  hmac: Hmac,
  key: string,
  { claims, mac, text }: UnverifiedRoleTag,
): Promise<VerifiedRoleTag | undefined> {
  const expected = await macOf(hmac, key, formatRoleTag(claims));
  return equalConstantTime(mac, expected) ? { tag: claims, text } : undefined;
}

/** SHA-256 of the tag, base64url: how a tag is named where it should not stand in clear. */
export async function digestRoleTag(digest: Digest, text: string): Promise<string> {
  return encodeBase64Url(await digest.digest('sha256', encodeUtf8(text)));
}

async function macOf(hmac: Hmac, key: string, signed: string): Promise<Uint8Array> {
  return hmac.hmac('sha256', encodeUtf8(key), encodeUtf8(signed));
}
