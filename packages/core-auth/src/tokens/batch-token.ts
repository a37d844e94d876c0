/**
 * Batch tokens (BATCH-1): nothing is stored of them, the token itself carries what it grants, encrypted and
 * authenticated. So they are never renewed, revoked or counted, and have no accessor; they end with their lifetime.
 *
 * Text: `pst_b_` and base64url of version (1 byte), key id (8), nonce (12), sealed claims. Version and key id are
 * authenticated with the claims.
 */

import { decodeBase64Url, decodeUtf8, encodeBase64Url, encodeHex, encodeUtf8 } from '@postern/kernel';
import type { CallOptions } from '@postern/ports';
import * as z from 'zod';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { BATCH_PREFIX, type IssuedToken, isBatchTokenText, type TokenDraft } from './issue-token.js';
import { createKeyRing, KEY_ID_BYTES } from './key-ring.js';
import { type TokenRecord, tokenRecordSchema } from './token-record.js';

/** Travels in a header: servers and proxies take 8 KiB of them all. Also against decoding what is refused anyway. */
const MAX_BATCH_TOKEN_CHARACTERS = 4096;

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
/** No other use of a key seals under the same words. */
const DOMAIN = encodeUtf8('postern-batch-token\0');

const claimsSchema = tokenRecordSchema
  .pick({
    policies: true,
    metadata: true,
    displayName: true,
    aliasName: true,
    aliasMetadata: true,
    entityId: true,
    path: true,
    issuedAt: true,
    ttlSeconds: true,
    explicitMaxTtlSeconds: true,
    boundCidrs: true,
  })
  .extend({ expiresAt: z.number() });

/**
 * Seals a grant. Nothing is to be stored.
 *
 * @throws AuthError `batch_token_too_large` where policies and metadata are more than a header holds; StorageError where
 *   keys cannot be had.
 */
export async function issueBatchToken(
  context: MethodContext,
  draft: TokenDraft & { readonly expiresAt: number },
  options?: CallOptions,
): Promise<IssuedToken> {
  const { crypto } = context.ports;
  // What is not named here is not in the token.
  const claims = claimsSchema.parse(draft);
  const { id, key } = await createKeyRing(context).sealingKey(claims.expiresAt, options);
  const header = Uint8Array.of(VERSION, ...bytesOfHex(id));
  const nonce = crypto.bytes(NONCE_BYTES);
  const sealed = await crypto.seal(key, nonce, encodeUtf8(JSON.stringify(claims)), join(DOMAIN, header));
  const token = BATCH_PREFIX + encodeBase64Url(join(header, nonce, sealed));
  if (token.length > MAX_BATCH_TOKEN_CHARACTERS) {
    throw new AuthError('batch_token_too_large', 'policies and metadata are too much for a batch token');
  }
  return { token, record: recordOf(claims), write: undefined };
}

/** What the token grants; undefined where it is not genuine, past its end, or its key is gone. @throws StorageError. */
export async function openBatchToken(
  context: MethodContext,
  token: string,
  options?: CallOptions,
): Promise<TokenRecord | undefined> {
  if (!isBatchTokenText(token) || token.length > MAX_BATCH_TOKEN_CHARACTERS) return undefined;
  const bytes = decodeBase64Url(token.slice(BATCH_PREFIX.length));
  if (bytes === undefined || bytes.length < HEADER_BYTES + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) {
    return undefined;
  }
  const header = bytes.subarray(0, HEADER_BYTES);
  const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const sealed = bytes.subarray(HEADER_BYTES + NONCE_BYTES);
  const found = await createKeyRing(context).find(encodeHex(header.subarray(1)), options);
  if (found === undefined) return undefined;
  const plaintext = await context.ports.crypto.open(found.key, nonce, sealed, join(DOMAIN, header));
  const claims = plaintext === undefined ? undefined : readClaims(plaintext);
  return claims === undefined || claims.expiresAt <= context.ports.clock.now() ? undefined : recordOf(claims);
}

type Claims = z.infer<typeof claimsSchema>;

/** Genuine by here. Undefined where a later version of this package put other things into it. */
function readClaims(plaintext: Uint8Array): Claims | undefined {
  try {
    return claimsSchema.safeParse(JSON.parse(decodeUtf8(plaintext) ?? '')).data;
  } catch {
    return undefined;
  }
}

function recordOf(claims: Claims): TokenRecord {
  return {
    ...claims,
    type: 'batch',
    digest: '',
    accessor: '',
    creationTtlSeconds: claims.ttlSeconds,
    periodSeconds: 0,
    numUses: 0,
    renewable: false,
  };
}

function bytesOfHex(hex: string): readonly number[] {
  return Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
