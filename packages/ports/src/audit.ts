import type { EpochMillis } from './clock.js';
import type { Awaitable } from './shared.js';

/** `denied`: checked, no. `unavailable`: could not check. `failed`: a defect of the server. */
export type AuditOutcome = 'allowed' | 'denied' | 'unavailable' | 'failed';

/** One line of the audit trail (AUDIT-1). Secrets never; token and nonce only as keyed hashes. */
export interface AuditEvent {
  /** Unique: an event that arrives twice under one id is one event (AUDIT-6). */
  readonly id: string;
  /**
   * Present on an event that was stored before what it tells of was done: a step of a call of several commits, or an effect
   * outside storage. The event of the outcome, with the same request id, follows.
   */
  readonly phase?: 'intent' | undefined;
  readonly time: EpochMillis;
  readonly requestId: string;
  /** Operation id from the catalogue: `login`, `role.write`, `token.renew-self` … */
  readonly operation: string;
  readonly outcome: AuditOutcome;
  /** The same stable code that the answer carries; absent when allowed. */
  readonly code?: string | undefined;
  /** What the caller is not told: which step of an unverified proof failed. */
  readonly reason?: string | undefined;
  readonly role?: string | undefined;
  /** Who: instance id, principal ARN or token accessor. */
  readonly principal?: string | undefined;
  readonly peerAddress?: string | undefined;
  readonly authType?: 'ec2' | 'iam' | undefined;
  /** HMAC-SHA256 under the installation's audit key, base64url. */
  readonly tokenHash?: string | undefined;
  readonly nonceHash?: string | undefined;
  /** Accessor of the token issued or used. */
  readonly accessor?: string | undefined;
  /**
   * Fields that a write changed, by name: their new value as JSON where it is of a limited set; `hmac:` and a keyed hash of that
   * JSON for texts that a caller chose; `(secret)`.
   */
  readonly changes?: Readonly<Record<string, string>> | undefined;
  /** Further facts, text only: path parameters, bound names, alias, warnings. */
  readonly details?: Readonly<Record<string, string>> | undefined;
}

/**
 * Where audit events go. Events of changes are stored before they come here, and come again until they were recorded: at
 * least once, mostly in order (AUDIT-6). A call that changes nothing, or is refused, fails if its event is not recorded.
 */
export interface AuditSink {
  /** May be called again before it resolved. */
  record(event: AuditEvent): Awaitable<void>;
  /**
   * Takes several at once, in order; resolves when all are recorded. Where it rejects, all of them come again.
   *
   * @param texts the same events as JSON: those of changes were serialized for their commit.
   */
  recordAll?(events: readonly AuditEvent[], texts?: readonly string[]): Awaitable<void>;
}
