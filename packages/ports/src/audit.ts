import type { EpochMillis } from './clock.js';
import type { Awaitable } from './shared.js';

/** `denied`: checked, no. `unavailable`: could not check. `failed`: a defect of the server. */
export type AuditOutcome = 'allowed' | 'denied' | 'unavailable' | 'failed';

/** One line of the audit trail (AUDIT-1). Secrets never; token and nonce only as keyed hashes. */
export interface AuditEvent {
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
  /** Further facts, text only: path parameters, bound names, alias, warnings. */
  readonly details?: Readonly<Record<string, string>> | undefined;
}

/** Where audit events go. A sink that throws fails the call it reports: no event, no answer. */
export interface AuditSink {
  record(event: AuditEvent): Awaitable<void>;
}
