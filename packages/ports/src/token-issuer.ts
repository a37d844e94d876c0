import type { EpochMillis } from './clock.js';
import type { Awaitable } from './shared.js';

/** Everything a login granted, for an embedder that mints its own tokens. The accessor is derived from the minted text. */
export interface TokenGrant {
  readonly policies: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly displayName: string;
  readonly alias: { readonly name: string; readonly metadata: Readonly<Record<string, string>> };
  readonly entityId: string;
  readonly issuedAt: EpochMillis;
  readonly expiresAt: EpochMillis;
  readonly renewable: boolean;
}

/**
 * Mints the text of the client token from a grant: a JWT, a session id. The record of the grant is kept in Storage
 * under a digest of the text, so that look-up, renewal and revocation work whatever the text is.
 */
export interface TokenIssuer {
  /** @returns a text of at least 128 bits that nobody can guess. */
  mint(grant: TokenGrant): Awaitable<string>;
}
