/** Whatever goes wrong leaves as a `RegistryError` (REGAPI-7): what a port said in our codes, the rest as a defect of ours. */
import { isProviderError, isStorageError, type StorageErrorCode } from '@postern/ports';
import type { RegistryErrorCode } from './error-codes.js';
import { isRegistryError, RegistryError } from './errors.js';

const STORAGE: Readonly<Record<StorageErrorCode, readonly [RegistryErrorCode, string]>> = {
  conflict: ['storage_contended', 'the record was changed by somebody else; try again'],
  unavailable: ['storage_unavailable', 'the storage is not available; nothing was changed'],
  outcome_unknown: ['storage_outcome_unknown', 'the storage gave no answer; the change may or may not have happened'],
  // Every value has a bound that fits: it is our own doing.
  limit: ['internal', 'something went wrong on our side'],
  aborted: ['aborted', 'the call was given up'],
  closed: ['storage_unavailable', 'the storage is closed'],
};

const RETRY_AFTER_SECONDS = 1;

/** The same error where it is one of ours. The cause is kept for the host's log and never shown to the caller. */
export function toRegistryError(error: unknown, signal: AbortSignal | undefined): RegistryError {
  if (isRegistryError(error)) return error;
  if (isStorageError(error)) {
    const [code, text] = STORAGE[error.code];
    return new RegistryError(code, text, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if (signal?.aborted === true) return new RegistryError('aborted', 'the call was given up', { cause: error });
  if (isProviderError(error)) {
    return new RegistryError('provider_unavailable', 'the registry could not find out; nothing was changed', {
      cause: error,
      retryAfterSeconds: error.retryAfterSeconds ?? RETRY_AFTER_SECONDS,
    });
  }
  return new RegistryError('internal', 'something went wrong on our side', { cause: error });
}
