/**
 * The text of a token and what is derived from it (TOKEN-1). Only digests of it are ever stored: whoever reads the
 * storage can use no token, and one record serves look-up by token and by accessor.
 */

import { encodeBase64Url, encodeHex, encodeUtf8 } from '@postern/kernel';
import type { Digest, RandomSource } from '@postern/ports';

export const TOKEN_PREFIX = 'pst_';
const TOKEN_BYTES = 32;
const SERVICE_TOKEN_CHARACTERS = TOKEN_PREFIX.length + Math.ceil((TOKEN_BYTES * 8) / 6);
/** Of batch tokens (BATCH-1). */
export const BATCH_PREFIX = 'pst_b_';
/** A minted token may be a JWT; nothing of this size needs more. Against hashing what is refused anyway. */
export const MAX_TOKEN_CHARACTERS = 16 * 1024;
/** 160 bits, as lower-case hex: safe in paths, shells and logs. */
const ACCESSOR_BYTES = 20;

export interface TokenDigests {
  /** Names the record. Public: shown in answers and audit events. */
  readonly accessor: string;
  /** Base64url SHA-256 of the text; proves that a presented token is the recorded one. */
  readonly digest: string;
}

/**
 * Whether a text is shaped as a batch token. By its length too: one service token in some thousands begins alike.
 */
export function isBatchTokenText(text: string): boolean {
  return text.startsWith(BATCH_PREFIX) && text.length > SERVICE_TOKEN_CHARACTERS;
}

/** Whether a text that is no token's place looks like one of ours: pasted into a path, say. It is told to nobody. */
export function looksLikeToken(text: string): boolean {
  return text.startsWith(TOKEN_PREFIX) && text.length >= SERVICE_TOKEN_CHARACTERS;
}

/** 256 random bits behind a prefix that secret scanners can look for. */
export function createTokenText(random: RandomSource): string {
  return TOKEN_PREFIX + encodeBase64Url(random.bytes(TOKEN_BYTES));
}

/** Two digests in separate domains: neither tells the other, and neither the token. */
export async function digestToken(digest: Digest, token: string): Promise<TokenDigests> {
  const [accessor, proof] = await Promise.all([
    digest.digest('sha256', encodeUtf8(`postern-accessor\0${token}`)),
    digest.digest('sha256', encodeUtf8(token)),
  ]);
  return { accessor: encodeHex(accessor.slice(0, ACCESSOR_BYTES)), digest: encodeBase64Url(proof) };
}
