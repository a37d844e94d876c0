/** The `auth` object of a login or renewal answer (spec 2.8, behaviour sheet 2.2), as the specification names it. */
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

/**
 * What the client is told of a service token.
 *
 * @param onlyNow metadata of this answer that is not kept on the token: a generated nonce.
 */
export function authView(token: string, record: TokenRecord, onlyNow: Readonly<Record<string, string>> = {}): AuthView {
  return {
    client_token: token,
    accessor: record.accessor,
    policies: record.policies,
    token_policies: record.policies,
    metadata: { ...record.metadata, ...onlyNow },
    lease_duration: record.ttlSeconds,
    renewable: record.renewable,
    entity_id: record.entityId,
    token_type: 'service',
    orphan: true,
    mfa_requirement: null,
    num_uses: record.numUses,
  };
}
