/** Turns every error into a `RegistryError` (REGAPI-7): those of ports into its codes, any other into `internal`. */
import { isNewerRecordError } from '@postern/kernel';
import { isProviderError, isStorageError, type StorageErrorCode } from '@postern/ports';
import type { RegistryErrorCode } from './error-codes.js';
import { isRegistryError, RegistryError } from './errors.js';

const STORAGE: Readonly<Record<StorageErrorCode, readonly [RegistryErrorCode, string]>> = {
  conflict: ['storage_contended', 'the record was changed by another request; try again'],
  unavailable: ['storage_unavailable', 'the storage is not available; nothing was changed'],
  outcome_unknown: ['storage_outcome_unknown', 'the storage did not answer; the change may or may not have happened'],
  // Every value has a bound that fits: it is our own doing.
  limit: ['internal', 'internal error'],
  aborted: ['aborted', 'the call was aborted'],
  closed: ['storage_unavailable', 'the storage is closed'],
};

const RETRY_AFTER_SECONDS = 1;

/** A `RegistryError` is returned as it is. The cause is kept for the host's log and never shown to the caller. */
export function toRegistryError(error: unknown, signal: AbortSignal | undefined): RegistryError {
  if (isRegistryError(error)) return error;
  if (isStorageError(error)) {
    const [code, text] = STORAGE[error.code];
    return new RegistryError(code, text, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if (signal?.aborted === true) return new RegistryError('aborted', 'the call was aborted', { cause: error });
  if (isProviderError(error)) {
    const { cause } = error;
    if (isNewerRecordError(cause)) return new RegistryError('record_newer', cause.message, { cause: error });
    return new RegistryError(
      'provider_unavailable',
      'a dependency of the registry is unavailable; nothing was changed',
      {
        cause: error,
        retryAfterSeconds: error.retryAfterSeconds ?? RETRY_AFTER_SECONDS,
      },
    );
  }
  return new RegistryError('internal', 'internal error', { cause: error });
}
