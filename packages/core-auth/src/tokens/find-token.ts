/** Finds the record of a token (TOKEN-1). Expired is as absent; a digest that differs is as absent. */

import { encodeUtf8, equalConstantTime } from '@postern/kernel';
import type { CallOptions, EpochMillis } from '@postern/ports';
import type { MethodContext } from '../method-context.js';
import type { Entry } from '../store/collection.js';
import { openBatchToken } from './batch-token.js';
import { digestToken, isBatchTokenText, MAX_TOKEN_CHARACTERS } from './issue-token.js';
import type { TokenRecord } from './token-record.js';

/** Either kind of token, by its text. */
export async function findTokenRecord(
  context: MethodContext,
  token: string,
  options?: CallOptions,
): Promise<TokenRecord | undefined> {
  if (isBatchTokenText(token)) return openBatchToken(context, token, options);
  return (await findToken(context, token, options))?.value;
}

/** A service token, by its text. */
export async function findToken(
  context: MethodContext,
  token: string,
  options?: CallOptions,
): Promise<Entry<TokenRecord> | undefined> {
  if (token === '' || token.length > MAX_TOKEN_CHARACTERS) return undefined;
  const { accessor, digest } = await digestToken(context.ports.crypto, token);
  const entry = await findTokenByAccessor(context, accessor, options);
  if (entry === undefined) return undefined;
  return equalConstantTime(encodeUtf8(entry.value.digest), encodeUtf8(digest)) ? entry : undefined;
}

const ACCESSOR = /^[0-9a-f]{40}$/;

/** By accessor. Says nothing of whether the caller holds the token. */
export async function findTokenByAccessor(
  { ports, collections }: MethodContext,
  accessor: string,
  options?: CallOptions,
): Promise<Entry<TokenRecord> | undefined> {
  // An accessor comes from outside and becomes part of a storage key.
  if (!ACCESSOR.test(accessor)) return undefined;
  const entry = await collections.tokens.get(accessor, options);
  return entry !== undefined && !isExpired(entry.value, ports.clock.now()) ? entry : undefined;
}

function isExpired(record: TokenRecord, now: EpochMillis): boolean {
  return record.expiresAt !== undefined && record.expiresAt <= now;
}
