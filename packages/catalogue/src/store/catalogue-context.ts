/** What every part of the catalogue works with, and how the failures of its storage reach the caller. */
import {
  type BlobStore,
  type Clock,
  isStorageError,
  ProviderError,
  type Storage,
  type StorageErrorCode,
  type StoredRecord,
  type Version,
} from '@postern/ports';
import type { ArchiveLimits } from '../archive/archive-limits.js';
import type { CatalogueKeys } from '../records/records.js';

export interface CatalogueContext {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly keys: CatalogueKeys;
  readonly limits: ArchiveLimits;
  readonly scratchFolder: string;
}

/** Attempts of one call against others that write the same records. */
export const MAX_ATTEMPTS = 30;

/**
 * Runs a call that reads or writes records.
 *
 * @throws ProviderError `unavailable` for whatever the storage answers but a result.
 */
export async function ofStorage<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toProviderError(error);
  }
}

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

/** The condition that a record is as it was read. */
export const asRead = (record: StoredRecord | undefined): 'absent' | { readonly version: Version } =>
  record === undefined ? 'absent' : { version: record.version };

export function tooBusy(): ProviderError {
  return new ProviderError('unavailable', 'Too many others change the same module.', { retryAfterSeconds: 1 });
}

function toProviderError(error: unknown): unknown {
  if (!isStorageError(error)) return error;
  return new ProviderError('unavailable', `The catalogue's storage failed: ${error.code}.`, { cause: error });
}
