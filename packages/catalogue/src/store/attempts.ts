/** Writes beside others who write the same records: tried again, some times. */
import { isStorageError, ProviderError, type StorageErrorCode } from '@postern/ports';
import { toProviderError } from './records.js';

/** Attempts of one call against others that write the same records. */
export const MAX_ATTEMPTS = 30;

/** As `ofStorage`, with the outcomes that the caller decides on as values. */
export async function attempt<T>(
  codes: readonly StorageErrorCode[],
  call: () => Promise<T>,
): Promise<{ readonly done: T } | { readonly done: undefined; readonly code: StorageErrorCode }> {
  try {
    return { done: await call() };
  } catch (error) {
    if (isStorageError(error) && codes.includes(error.code)) return { done: undefined, code: error.code };
    throw toProviderError(error);
  }
}

/** Others are writing: a short, uneven wait lets one of them finish. */
export async function backOff(attemptsMade: number): Promise<void> {
  const milliseconds = Math.random() * Math.min(100, 2 ** attemptsMade);
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export function tooBusy(): ProviderError {
  return new ProviderError('unavailable', 'too many others change the same module', { retryAfterSeconds: 1 });
}
