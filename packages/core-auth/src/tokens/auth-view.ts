/** The `auth` object of a login or renewal response (LOGIN-6), as the specification names it. */
import * as z from 'zod';
import type { TokenRecord } from './token-record.js';

export interface AuthView {
  readonly client_token: string;
  /** Empty for batch tokens. */
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly token_policies: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly lease_duration: number;
  readonly renewable: boolean;
  readonly entity_id: string;
  readonly token_type: 'service' | 'batch';
  readonly orphan: boolean;
  readonly mfa_requirement: null;
  readonly num_uses: number;
}

/** `AuthView`, for documents. */
export const authOutput = z.object({
  client_token: z.string(),
  accessor: z.string(),
  policies: z.array(z.string()),
  token_policies: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
  lease_duration: z.int().nonnegative(),
  renewable: z.boolean(),
  entity_id: z.string(),
  token_type: z.enum(['service', 'batch']),
  orphan: z.boolean(),
  mfa_requirement: z.null(),
  num_uses: z.int().nonnegative(),
});

/**
 * What the client sees of a token.
 *
 * @param onlyNow metadata of this answer that is not kept on the token: a generated nonce.
 */
export function authView(token: string, record: TokenRecord, onlyNow: Readonly<Record<string, string>> = {}): AuthView {
  return {
    client_token: token,
    accessor: record.accessor,
    policies: record.policies,
    token_policies: record.policies,
    metadata: Object.assign({}, record.metadata, onlyNow),
    lease_duration: record.ttlSeconds,
    renewable: record.renewable,
    entity_id: record.entityId,
    token_type: record.type,
    orphan: record.parents === undefined,
    mfa_requirement: null,
    num_uses: record.numUses,
  };
}
