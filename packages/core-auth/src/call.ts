/** What every operation is called with and what it answers: the transport-free contract between core and its adapters. */
import type { ReadAhead, TrailStep } from '@postern/kernel';
import type { CallOptions, CommitResult, Operation } from '@postern/ports';
import type { ErrorKind } from './error-codes.js';
import type { ChangedField } from './fields/changed-fields.js';
import type { AuthView } from './tokens/auth-view.js';

/** Who calls, as far as the transport knows. */
export interface CallContext extends CallOptions {
  /** Ties answer, audit event and log together. */
  readonly requestId: string;
  /** The peer's IP address: the socket's, or a configured proxy's word (TOKEN-5). */
  readonly peerAddress: string | undefined;
  /** What the transport's clients call the server-ID header of signed requests (STS-6); undefined: as the specification. */
  readonly serverIdHeader?: string | undefined;
}

/** Body members as parsed from JSON (or query members of a read), not yet checked. */
export type CallFields = Readonly<Record<string, unknown>>;

/** A call by operation id, as an adapter makes it. Names are those of the specification. */
export interface OperationCall extends CallContext {
  readonly operation: string;
  /** Path parameters, percent-decoded: `{ role: 'dev' }`. */
  readonly params: Readonly<Record<string, string>>;
  /**
   * A function is called once token and right are known, so that nobody else's body is read (WIRE-20). An `AuthError` that
   * it throws is the answer of the call; anything else is `internal`.
   */
  readonly fields: CallFields | (() => Promise<CallFields>);
  /** The caller's token, where one was sent. */
  readonly token: string | undefined;
  /**
   * Fields that the operation does not know: rejected (WIRE-19), or ignored with a warning (WIRE-21), as clients of Vault
   * expect it. Default `reject`.
   */
  readonly unknownFields?: 'reject' | 'ignore' | undefined;
}

/** A call that a transport refused before it could make it: the caller calls too often. */
export interface RefusedCall extends CallContext {
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  /** An `AuthError`, or what a transport has codes of its own for, such as `rate_limited`. */
  readonly refusal: Refusal;
  /** Counts and limits; never what was sent. */
  readonly details?: Readonly<Record<string, string>>;
}

/** Why a call ended without an answer of the operation. */
export interface Refusal {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly reason?: string | undefined;
}

/** What an operation answers. With none of data, auth and warnings there is nothing to say (204). */
export interface Outcome {
  /** Members as the specification names them. A list answers `{ keys }`, possibly empty. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  readonly auth?: AuthView | undefined;
  readonly warnings?: readonly string[] | undefined;
  /** Started, not done (202). */
  readonly accepted?: boolean | undefined;
}

/** In clear here; the secrets among it leave only as keyed hashes. */
export interface AuditFacts {
  readonly role?: string | undefined;
  /** Instance id or principal ARN. Dispatch names the caller's accessor where nothing better is known. */
  readonly principal?: string | undefined;
  readonly authType?: 'ec2' | 'iam' | undefined;
  /** Accessor of the token issued, renewed, looked up or revoked. */
  readonly accessor?: string | undefined;
  /** Secret: hashed. */
  readonly token?: string | undefined;
  /** Secret: hashed. */
  readonly nonce?: string | undefined;
  /** Of a write. */
  readonly changes?: Readonly<Record<string, ChangedField>> | undefined;
  /** Merged with what was said before. Never holds a secret. */
  readonly details?: Readonly<Record<string, string>> | undefined;
}

/**
 * Commits the effect of a call together with its audit event (AUDIT-6): what was noted until now, ended well. Where it
 * fails, the event of the refusal has no facts of the step.
 *
 * @throws StorageError like `Storage.commit`; AuthError `audit_unavailable` where changes are refused (AUDIT-7).
 */
export type CommitEffect = (operations: readonly Operation[], step?: TrailStep<AuditFacts>) => Promise<CommitResult>;

/** The trail of one call. */
export interface CallTrail {
  annotate(facts: AuditFacts): void;
  readonly commit: CommitEffect;
  /**
   * How the call ended. Nothing where that was committed with its effect.
   *
   * @throws AuthError `audit_unavailable` when the event was not recorded.
   */
  record(error: Refusal | undefined): Promise<void>;
}

export type OpenTrail = (operation: string, call: CallContext) => CallTrail;

/** What a flow may use of the call. */
export interface FlowCall extends CallContext {
  /** What a login read at once (STORE-11). */
  readonly ahead?: ReadAhead | undefined;
  readonly annotate: (facts: AuditFacts) => void;
  readonly commit: CommitEffect;
}
