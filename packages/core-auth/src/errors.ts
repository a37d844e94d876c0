/** The one error that leaves core-auth (ERROR-1): a stable code, a text for people, never a secret. */
import { CodedError, type CodedErrorOptions, hasErrorCode, isAuditUnavailable, withoutStack } from '@postern/kernel';
import { isStorageError, type StorageErrorCode } from '@postern/ports';
import { type AuthErrorCode, ERROR_KINDS, type ErrorKind } from './error-codes.js';

export interface AuthErrorOptions extends CodedErrorOptions {
  /** For the audit event only: which check of an unverified proof failed. The caller never sees it. */
  readonly reason?: string;
}

/** Thrown by every operation. `switch (error.code)` narrows; `error.kind` is enough to choose a status. */
export class AuthError extends CodedError<AuthErrorCode, ErrorKind> {
  override readonly name = 'AuthError';
  readonly reason: string | undefined;

  constructor(code: AuthErrorCode, message: string, options: AuthErrorOptions = {}) {
    super(code, ERROR_KINDS[code], message, options);
    this.reason = options.reason;
  }
}

/** Recognises an `AuthError` by shape, also one made by another copy of this package. */
export function isAuthError(error: unknown): error is AuthError {
  return hasErrorCode(error, 'AuthError', ERROR_KINDS);
}

/**
 * A proof that did not verify. All such failures look the same to the caller (ERROR-1); `reason` tells the operator.
 *
 * @param reason snake_case, stable: `cms_trailing_bytes`, `signature_mismatch`, `sha1_refused` …
 */
export function unverified(reason: string, cause?: unknown): AuthError {
  const options = cause === undefined ? { reason } : { reason, cause };
  return withoutStack(
    () => new AuthError('evidence_unverified', 'the proof of identity could not be verified', options),
  );
}

const STORAGE: Readonly<Record<StorageErrorCode, readonly [AuthErrorCode, string]>> = {
  conflict: ['storage_contended', 'the record was changed concurrently; try again'],
  unavailable: ['storage_unavailable', 'storage is unavailable; nothing was changed'],
  outcome_unknown: ['storage_outcome_unknown', 'storage did not respond; the change may have been applied'],
  // The only values of unbounded size are the caller's own.
  limit: ['body_too_large', 'the request is larger than what can be stored'],
  aborted: ['aborted', 'the call was aborted'],
  closed: ['storage_unavailable', 'the storage is closed'],
};

const RETRY_AFTER_SECONDS = 1;

/** An `AuthError` stays as it is. The cause is kept for the host's log and never shown to the caller (ERROR-6). */
export function toAuthError(error: unknown, signal: AbortSignal | undefined): AuthError {
  if (isAuthError(error)) return error;
  if (isAuditUnavailable(error)) {
    return new AuthError('audit_unavailable', error.message, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if (isStorageError(error)) {
    const [code, text] = STORAGE[error.code];
    return new AuthError(code, text, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if (signal?.aborted === true) return new AuthError('aborted', 'the call was aborted', { cause: error });
  return new AuthError('internal', 'internal error', { cause: error });
}
