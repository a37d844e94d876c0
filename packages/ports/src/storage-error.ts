/**
 * `conflict`: a precondition failed, nothing applied. `unavailable`: nothing happened, retryable.
 * `outcome_unknown`: a commit was sent and no answer came. `limit`: the call exceeds `STORAGE_LIMITS` or is malformed.
 * `aborted`: the caller's signal fired before anything was sent. `closed`: after `close()`.
 */
export type StorageErrorCode = 'conflict' | 'unavailable' | 'outcome_unknown' | 'limit' | 'aborted' | 'closed';

/**
 * What an operator must mend, where the adapter can tell: `full`: no room is left. `read_only`: it cannot be written.
 * `broken`: what is stored cannot be read any more.
 */
export type StorageFault = 'full' | 'read_only' | 'broken';

/** The one error of the Storage port. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  /** With `conflict`: the keys whose precondition failed. */
  readonly keys: readonly string[];
  /** With `unavailable` and `outcome_unknown`, where the adapter knows. */
  readonly fault: StorageFault | undefined;

  constructor(code: StorageErrorCode, message: string, options: StorageErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.keys = options.keys ?? [];
    this.fault = options.fault;
  }
}

export interface StorageErrorOptions {
  readonly keys?: readonly string[];
  readonly fault?: StorageFault | undefined;
  readonly cause?: unknown;
}

const codes: ReadonlySet<unknown> = new Set([
  'conflict',
  'unavailable',
  'outcome_unknown',
  'limit',
  'aborted',
  'closed',
]);

/** Recognises a `StorageError` by shape, also one made by another copy of this package. */
export function isStorageError(error: unknown): error is StorageError {
  return error instanceof Error && error.name === 'StorageError' && 'code' in error && codes.has(error.code);
}

/** Whether a commit was refused because something it read has changed. */
export function isConflict(error: unknown): error is StorageError {
  return isStorageError(error) && error.code === 'conflict';
}
