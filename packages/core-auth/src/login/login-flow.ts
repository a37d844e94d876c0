/** How a way of logging in plugs into the one login operation: `ec2` is one, `iam` another (LOGIN-2). */
import type { AuditFacts } from '../audit/audit-facts.js';
import type { CallContext, Outcome } from '../call.js';
import type { RenewalFacts, TokenRecord } from '../tokens/token-record.js';

/** What a flow may use of the call. */
export interface FlowCall extends CallContext {
  readonly note: (facts: AuditFacts) => void;
  readonly ifUnrecorded: (undo: () => Promise<void>) => void;
}

export interface LoginFlow<Request> {
  /** @throws AuthError with a code of the login group. */
  login(request: Request, call: FlowCall): Promise<Outcome>;
}

/** The token of a renewal, as it was found. */
export interface RenewalRequest<Facts extends RenewalFacts> {
  readonly accessor: string;
  readonly facts: Facts;
  readonly incrementSeconds: number | undefined;
}

export interface RenewedToken {
  readonly record: TokenRecord;
  /** A cap made the lifetime shorter than what was wanted. */
  readonly cut: boolean;
}

export interface RenewalFlow<Facts extends RenewalFacts> {
  /** @throws AuthError with a code of the login or token group; `token_not_found` when it was revoked meanwhile. */
  renew(request: RenewalRequest<Facts>, call: FlowCall): Promise<RenewedToken>;
}
