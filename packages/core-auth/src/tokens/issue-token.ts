/**
 * Makes a service token and its record from a grant (TOKEN-1). Storage only
 * ever holds digests of a token's text: reading the storage gives no usable token, and one record serves look-up by token and by
 * accessor. The caller commits the write.
 */

import { encodeBase64Url, encodeHex, encodeUtf8 } from '@postern/kernel';
import type { Awaitable, Digest, EpochMillis, Operation, RandomSource, TokenGrant, TokenIssuer } from '@postern/ports';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { ROOT_POLICY } from '../roles/terms.js';
import type { TokenRecord } from './token-record.js';

/** A record but for what is derived from the token's text. */
export type TokenDraft = Omit<TokenRecord, 'digest' | 'accessor' | 'type'>;

export interface IssuedToken {
  readonly token: string;
  readonly record: TokenRecord;
  /** Stores the record, if no token of that text is there; undefined for a batch token, which is not stored. */
  readonly write: Operation | undefined;
}

interface StoredToken extends IssuedToken {
  readonly write: Operation;
}

/**
 * @throws AuthError `internal` when the embedder's issuer mints a text that cannot be a token.
 */
export async function issueToken(context: MethodContext, draft: TokenDraft): Promise<StoredToken> {
  const { ports, collections } = context;
  const minted = mintToken(context, draft);
  const token = minted instanceof Promise ? await minted : minted;
  const record = recordOf(draft, await digestToken(ports.crypto, token));
  return { token, record, write: collections.tokens.put(record.accessor, record, 'absent', record.expiresAt) };
}

/** Each member by name: a spread with members after it costs several times as much. */
function recordOf(draft: TokenDraft, { accessor, digest }: TokenDigests): TokenRecord {
  return {
    digest,
    accessor,
    type: 'service',
    policies: draft.policies,
    metadata: draft.metadata,
    displayName: draft.displayName,
    aliasName: draft.aliasName,
    aliasMetadata: draft.aliasMetadata,
    entityId: draft.entityId,
    path: draft.path,
    issuedAt: draft.issuedAt,
    expiresAt: draft.expiresAt,
    ttlSeconds: draft.ttlSeconds,
    creationTtlSeconds: draft.creationTtlSeconds,
    explicitMaxTtlSeconds: draft.explicitMaxTtlSeconds,
    periodSeconds: draft.periodSeconds,
    numUses: draft.numUses,
    usesLeft: draft.usesLeft,
    boundCidrs: draft.boundCidrs,
    renewable: draft.renewable,
    lastRenewedAt: draft.lastRenewedAt,
    parents: draft.parents,
    renewal: draft.renewal,
  };
}

/** Root tokens are never handed to an issuer: its format may be unable to say "never expires". */
function mintToken({ ports }: MethodContext, draft: TokenDraft): Awaitable<string> {
  const { tokenIssuer } = ports;
  if (tokenIssuer === undefined || draft.expiresAt === undefined || draft.policies.includes(ROOT_POLICY))
    return createTokenText(ports.crypto);
  return mintBy(tokenIssuer, grantOf(draft, draft.expiresAt));
}

async function mintBy(tokenIssuer: TokenIssuer, grant: TokenGrant): Promise<string> {
  const token = await tokenIssuer.mint(grant);
  if (token.length < 22 || token.length > MAX_TOKEN_CHARACTERS || isBatchTokenText(token)) {
    throw new AuthError('internal', 'the token issuer minted no usable token', { reason: 'minted_token_unusable' });
  }
  return token;
}

function grantOf(draft: TokenDraft, expiresAt: EpochMillis): TokenGrant {
  return {
    policies: draft.policies,
    metadata: draft.metadata,
    displayName: draft.displayName,
    alias: { name: draft.aliasName, metadata: draft.aliasMetadata },
    entityId: draft.entityId,
    issuedAt: draft.issuedAt,
    expiresAt,
    renewable: draft.renewable,
  };
}

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

/** Whether a text looks like a token of this server, pasted into a path for example: it must not be logged. */
export function looksLikeToken(text: string): boolean {
  return text.startsWith(TOKEN_PREFIX) && text.length >= SERVICE_TOKEN_CHARACTERS;
}

/** 256 random bits behind a prefix that secret scanners can look for. */
export function createTokenText(random: RandomSource): string {
  return TOKEN_PREFIX + encodeBase64Url(random.bytes(TOKEN_BYTES));
}

/** Two digests in separate domains: neither tells the other, and neither the token. */
export async function digestToken(digest: Digest, token: string): Promise<TokenDigests> {
  const digested = digest.digest('sha256', encodeUtf8(`postern-accessor\0${token}`));
  const accessor = digested instanceof Uint8Array ? digested : await digested;
  const proven = digest.digest('sha256', encodeUtf8(token));
  const proof = proven instanceof Uint8Array ? proven : await proven;
  return { accessor: encodeHex(accessor.slice(0, ACCESSOR_BYTES)), digest: encodeBase64Url(proof) };
}
