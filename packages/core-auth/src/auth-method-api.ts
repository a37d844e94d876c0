/** The public face of the auth method: what `createAuthMethod` returns. */
import type { CallContext, OperationCall, Outcome, RefusedCall } from './call.js';
import type { Operation } from './operation.js';
import type { TokenHolder } from './tokens/token-holder.js';

export interface AuthMethod {
  /** Path below `/v1/`: `auth/cloud`. */
  readonly mountPath: string;
  /** The catalogue: every operation once. */
  readonly operations: readonly Operation[];
  /**
   * Runs one operation: token, permission, field types, handler, audit event; in that order.
   *
   * @throws AuthError with any code of `ERROR_KINDS`; nothing else.
   */
  call(call: OperationCall): Promise<Outcome>;
  /**
   * For transports: tells the audit trail of a call that they refused before they could make it, such as a login whose
   * body cannot be read. A login without an event would be a gap in the trail (AUDIT-4).
   *
   * @throws AuthError `audit_unavailable`: then that is the answer.
   */
  recordRefusal(call: RefusedCall): Promise<void>;
  /**
   * `call` without a token or permission check, for the embedding service itself. Audited as `principal: "host"`.
   *
   * @throws AuthError like `call`.
   */
  callAsHost(call: Omit<OperationCall, 'token'>): Promise<Outcome>;
  /**
   * Who holds a token: for another service of the host that takes the method's tokens, such as a registry. A use like any
   * other (TOKEN-9): from an address that it is bound to, and one less where its uses are counted. It leaves no audit
   * event: the service that asks has its own.
   *
   * @returns undefined where the token cannot be used, whatever the reason.
   * @throws AuthError of kind `unavailable`, or `internal`.
   */
  useToken(token: string, call: CallContext): Promise<TokenHolder | undefined>;
  /** Makes a token that may do everything and never expires. Only ever called by the operator at start-up (TOKEN-8). */
  createRootToken(): Promise<string>;
  /**
   * For a timer of the host, about once a minute: removes what is long expired, at the first call and then once an hour
   * (TIDY-6). Resolves when that is done; between the hours it does nothing. Runs say in `tidy.status` how
   * they went.
   *
   * @throws AuthError `storage_unavailable`, `internal` where settings cannot be read: the next call tries again.
   */
  runPeriodicTidy(): Promise<void>;
  /** Waits for runs of tidying that go on in the background. */
  settled(): Promise<void>;
  /** Before the storage is closed: ends runs of tidying at their next page and waits for them. No more are started. */
  close(): Promise<void>;
  /** Warnings an operator should see at start-up and in health: certificates expired, about to, or of no use. */
  warnings(): Promise<readonly string[]>;
}
