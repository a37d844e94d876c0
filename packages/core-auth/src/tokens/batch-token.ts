/**
 * Batch tokens (BATCH-1): nothing is stored of them, the token itself carries what it grants, encrypted and
 * authenticated. So they are never renewed, revoked or counted, and have no accessor; they end with their lifetime.
 *
 * The claims of an opened token count only within its role as it is stored now (BATCH-4): a copy of the key ring seals no
 * `root`, no policy that the role does not grant, and nothing once the role is gone.
 *
 * Text: `pst_b_` and base64url of version (1 byte), key id (8), length of the role's name (2), the name, nonce (12), sealed
 * claims. What stands before the nonce is authenticated with the claims; the name is in clear so that key ring and role are
 * read at the same time.
 */

import { decodeBase64Url, decodeUtf8, encodeBase64Url, encodeHex, encodeUtf8 } from '@postern/kernel';
import type { CallOptions } from '@postern/ports';
import * as z from 'zod';
import { hasEnded } from '../clock-skew.js';
import { AuthError } from '../errors.js';
import { isName } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { refuse } from '../refuse.js';
import { intersectCidrs } from '../roles/cidr.js';
import type { Role } from '../roles/role.js';
import { grantablePolicies, ROOT_POLICY } from '../roles/terms.js';
import { BATCH_PREFIX, type IssuedToken, isBatchTokenText, type TokenDraft } from './issue-token.js';
import { createKeyRing, KEY_ID_BYTES } from './key-ring.js';
import { type TokenRecord, tokenRecordSchema } from './token-record.js';

/** Travels in a header: servers and proxies take 8 KiB of them all. Also against decoding what is refused anyway. */
const MAX_BATCH_TOKEN_CHARACTERS = 4096;

const VERSION = 2;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Version, key id and the length of the name. */
const FIXED_HEADER_BYTES = 1 + KEY_ID_BYTES + 2;
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
  .extend({ expiresAt: z.number(), roleId: z.string() });

/**
 * Seals a grant of a role. Nothing is to be stored.
 *
 * @throws AuthError `policy_not_grantable` for `root`; `batch_token_too_large` where policies and metadata are more than a
 *   header holds; StorageError where keys cannot be had.
 */
export async function issueBatchToken(
  context: MethodContext,
  draft: TokenDraft & { readonly expiresAt: number },
  { name, roleId }: Pick<Role, 'name' | 'roleId'>,
  options?: CallOptions,
): Promise<IssuedToken> {
  const { crypto } = context.ports;
  if (draft.policies.includes(ROOT_POLICY)) throw refuse('policy_not_grantable');
  // What is not named here is not in the token.
  const claims = claimsSchema.strip().parse({ ...draft, roleId });
  const { id, key } = await createKeyRing(context).sealingKey(claims.expiresAt, options);
  const header = makeHeader(id, name);
  const nonce = crypto.bytes(NONCE_BYTES);
  const sealed = await crypto.seal(key, nonce, encodeUtf8(JSON.stringify(claims)), join(DOMAIN, header));
  const token = BATCH_PREFIX + encodeBase64Url(join(header, nonce, sealed));
  if (token.length > MAX_BATCH_TOKEN_CHARACTERS) {
    throw new AuthError('batch_token_too_large', 'policies and metadata are too much for a batch token');
  }
  return { token, record: recordOf(claims), write: undefined };
}

/**
 * What the token grants; undefined where it is not genuine, past its end, its key is gone, or its role is.
 *
 * @throws StorageError.
 */
export async function openBatchToken(
  context: MethodContext,
  token: string,
  options?: CallOptions,
): Promise<TokenRecord | undefined> {
  if (!isBatchTokenText(token) || token.length > MAX_BATCH_TOKEN_CHARACTERS) return undefined;
  const parts = parseToken(token);
  if (parts === undefined) return undefined;
  const { header, keyId, roleName, nonce, sealed } = parts;
  const [found, role] = await Promise.all([
    createKeyRing(context).find(keyId, options),
    context.collections.roles.get(roleName, options),
  ]);
  if (found === undefined || role === undefined) return undefined;
  const plaintext = await context.ports.crypto.open(found.key, nonce, sealed, join(DOMAIN, header));
  const claims = plaintext === undefined ? undefined : readClaims(plaintext);
  if (claims === undefined || hasEnded(context, claims.expiresAt)) return undefined;
  const held = holdToRole(claims, role.value, context.options.maxTtlSeconds);
  return held === undefined ? undefined : recordOf(held);
}

interface TokenParts {
  readonly header: Uint8Array;
  readonly keyId: string;
  readonly roleName: string;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
}

function makeHeader(keyId: string, roleName: string): Uint8Array {
  const name = encodeUtf8(roleName);
  return Uint8Array.of(VERSION, ...bytesOfHex(keyId), name.length >> 8, name.length & 0xff, ...name);
}

/** Splits the text. Nothing of it is authenticated yet. */
function parseToken(token: string): TokenParts | undefined {
  const bytes = decodeBase64Url(token.slice(BATCH_PREFIX.length));
  if (bytes?.[0] !== VERSION || bytes.length < FIXED_HEADER_BYTES) return undefined;
  const nameLength = ((bytes[FIXED_HEADER_BYTES - 2] ?? 0) << 8) | (bytes[FIXED_HEADER_BYTES - 1] ?? 0);
  const headerLength = FIXED_HEADER_BYTES + nameLength;
  if (bytes.length < headerLength + NONCE_BYTES + TAG_BYTES) return undefined;
  // It becomes part of a storage key.
  const roleName = decodeUtf8(bytes.subarray(FIXED_HEADER_BYTES, headerLength)) ?? '';
  if (!isName(roleName)) return undefined;
  return {
    header: bytes.subarray(0, headerLength),
    keyId: encodeHex(bytes.subarray(1, 1 + KEY_ID_BYTES)),
    roleName,
    nonce: bytes.subarray(headerLength, headerLength + NONCE_BYTES),
    sealed: bytes.subarray(headerLength + NONCE_BYTES),
  };
}

type Claims = z.infer<typeof claimsSchema>;

/** Undefined where a later version of this package put other things into it. */
function readClaims(plaintext: Uint8Array): Claims | undefined {
  try {
    return claimsSchema.safeParse(JSON.parse(decodeUtf8(plaintext) ?? '')).data;
  } catch {
    return undefined;
  }
}

/**
 * What of the claims the role grants now (BATCH-4). The key alone proves no grant: it lies in the storage, and who reads that
 * can seal any claims. Pure.
 *
 * @returns undefined where nothing is left.
 */
function holdToRole(claims: Claims, role: Role, maxTtlSeconds: number): Claims | undefined {
  if (claims.roleId !== role.roleId || claims.policies.includes(ROOT_POLICY)) return undefined;
  if (claims.expiresAt - claims.issuedAt > maxTtlSeconds * 1000) return undefined;
  const granted = grantablePolicies(role);
  const boundCidrs = intersectCidrs(claims.boundCidrs, role.token.boundCidrs);
  if (!granted.allow || boundCidrs === undefined) return undefined;
  return { ...claims, boundCidrs, policies: claims.policies.filter((policy) => granted.policies.includes(policy)) };
}

function recordOf({ roleId: _roleId, ...claims }: Claims): TokenRecord {
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
