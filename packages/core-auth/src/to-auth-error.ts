/** Whatever goes wrong leaves as an `AuthError` (ERROR-6, STORE-3): what storage said in our codes, the rest as a defect of ours. */
import { isStorageError, type StorageErrorCode } from '@postern/ports';
import type { AuthErrorCode } from './error-codes.js';
import { AuthError, isAuthError } from './errors.js';

const STORAGE: Readonly<Record<StorageErrorCode, readonly [AuthErrorCode, string]>> = {
  conflict: ['storage_contended', 'the record was changed by somebody else; try again'],
  unavailable: ['storage_unavailable', 'the storage is not available; nothing was changed'],
  outcome_unknown: ['storage_outcome_unknown', 'the storage gave no answer; the change may or may not have happened'],
  // The only values of unbounded size are the caller's own.
  limit: ['body_too_large', 'the request is larger than what can be stored'],
  aborted: ['aborted', 'the call was given up'],
  closed: ['storage_unavailable', 'the storage is closed'],
};

const RETRY_AFTER_SECONDS = 1;

/** The same error where it is one of ours. The cause is kept for the host's log and never shown to the caller. */
export function toAuthError(error: unknown, signal: AbortSignal | undefined): AuthError {
  if (isAuthError(error)) return error;
  if (isStorageError(error)) {
    const [code, text] = STORAGE[error.code];
    return new AuthError(code, text, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if (signal?.aborted === true) return new AuthError('aborted', 'the call was given up', { cause: error });
  return new AuthError('internal', 'something went wrong on our side', { cause: error });
}
