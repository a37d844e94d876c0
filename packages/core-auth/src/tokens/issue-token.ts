/** Makes a service token and its record from a grant (TOKEN-1). Nothing is stored here: the caller commits the write. */
import type { EpochMillis, Operation, TokenGrant } from '@postern/ports';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import type { TokenRecord } from './token-record.js';
import { createTokenText, digestToken, isBatchTokenText, MAX_TOKEN_CHARACTERS } from './token-text.js';

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
  const token = await mintToken(context, draft);
  const record: TokenRecord = { ...draft, type: 'service', ...(await digestToken(ports.crypto, token)) };
  return { token, record, write: collections.tokens.put(record.accessor, record, 'absent', record.expiresAt) };
}

/** Root tokens are never handed to an issuer: its format may not be able to say "never expires". */
async function mintToken({ ports }: MethodContext, draft: TokenDraft): Promise<string> {
  const { tokenIssuer } = ports;
  if (tokenIssuer === undefined || draft.expiresAt === undefined) return createTokenText(ports.crypto);
  const token = await tokenIssuer.mint(grantOf(draft, draft.expiresAt));
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
