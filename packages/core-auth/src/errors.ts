/** The one error that leaves core-auth (ERROR-1): a stable code, a text for people, never a secret. */
import { type AuthErrorCode, ERROR_KINDS, type ErrorKind } from './error-codes.js';

export interface AuthErrorOptions {
  /** Public facts: the field, the expected format. Shown to the caller, so no values of secrets, nonces, signatures. */
  readonly details?: Readonly<Record<string, string>>;
  /** For the audit event only: which check of an unverified proof failed. The caller never sees it. */
  readonly reason?: string;
  /** Whole seconds; with kind `unavailable`. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Where Node looks for it; registered by name, so that nothing of Node is imported. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Thrown by every operation. `switch (error.code)` narrows; `error.kind` is enough to choose a status. */
export class AuthError extends Error {
  override readonly name = 'AuthError';
  readonly code: AuthErrorCode;
  readonly kind: ErrorKind;
  readonly details: Readonly<Record<string, string>>;
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: AuthErrorCode, message: string, options: AuthErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.kind = ERROR_KINDS[code];
    this.details = options.details ?? {};
    this.reason = options.reason;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /**
   * How Node prints it, in a log or on the console: without the cause. A driver or SDK may quote in its messages what it
   * was given, and that is keys, nonces and signatures (THREAT-36). Whoever wants the cause asks for `error.cause`.
   */
  [INSPECT](): string {
    const { code, details, reason, retryAfterSeconds, stack } = this;
    return `${stack} ${JSON.stringify({ code, details, reason, retryAfterSeconds })}`;
  }
}

/** Recognises an `AuthError` by shape, also one made by another copy of this package. */
export function isAuthError(error: unknown): error is AuthError {
  return (
    error instanceof Error &&
    error.name === 'AuthError' &&
    'code' in error &&
    typeof error.code === 'string' &&
    Object.hasOwn(ERROR_KINDS, error.code)
  );
}

/**
 * A proof that did not verify. All such failures look the same to the caller (ERROR-1); `reason` tells the operator.
 *
 * @param reason snake_case, stable: `cms_trailing_bytes`, `signature_mismatch`, `sha1_refused` …
 */
export function unverified(reason: string, cause?: unknown): AuthError {
  return new AuthError('evidence_unverified', 'the proof of identity could not be verified', {
    reason,
    ...(cause === undefined ? {} : { cause }),
  });
}
