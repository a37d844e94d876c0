/**
 * `conflict`: a precondition failed, nothing applied. `unavailable`: nothing happened, retryable.
 * `outcome_unknown`: a commit was sent and no answer came. `limit`: the call exceeds `STORAGE_LIMITS` or is malformed.
 * `aborted`: the caller's signal fired before anything was sent. `closed`: after `close()`.
 */
export type StorageErrorCode = 'conflict' | 'unavailable' | 'outcome_unknown' | 'limit' | 'aborted' | 'closed';

/** The one error of the Storage port. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: StorageErrorCode;
  /** With `conflict`: the keys whose precondition failed. */
  readonly keys: readonly string[];

  constructor(code: StorageErrorCode, message: string, options: { keys?: readonly string[]; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.keys = options.keys ?? [];
  }
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
