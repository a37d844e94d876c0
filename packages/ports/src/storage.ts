import type { EpochMillis } from './clock.js';
import type { CallOptions } from './shared.js';

/** Opaque. Changes on every put and is never reused for a key, deleted and re-created or not. */
export type Version = string;

/** A committed record. */
export interface StoredRecord {
  readonly key: string;
  /** Well-formed Unicode text; core keeps JSON in it, adapters don't look. */
  readonly value: string;
  readonly version: Version;
  /** Only an index for `listExpired`: it never hides or removes the record. */
  readonly expiresAt: EpochMillis | undefined;
}

/** What must hold of a key for a commit to apply. `any` always holds. */
export type Precondition = 'absent' | 'present' | 'any' | { readonly version: Version };

/** One part of a commit. */
export type Operation = RecordOperation | AppendOperation;

/** A part about one record. A put without `expiresAt` clears it. */
export type RecordOperation =
  | {
      readonly type: 'put';
      readonly key: string;
      readonly value: string;
      readonly expiresAt?: EpochMillis | undefined;
      readonly if: Precondition;
    }
  | { readonly type: 'delete'; readonly key: string; readonly if: Precondition }
  | { readonly type: 'check'; readonly key: string; readonly if: Precondition };

/** Adds an entry to the end of a log, unconditionally. Logs are apart from records: `get` and `list` never show them. */
export interface AppendOperation {
  readonly type: 'append';
  /** Names the log; limits are those of a key. It exists while it has entries. */
  readonly log: string;
  /** Limits are those of a record's value. */
  readonly value: string;
}

/** Opaque; names one entry of one log, and is never given to another. */
export type LogPosition = string;

export interface LogEntry {
  readonly position: LogPosition;
  readonly value: string;
}

export interface CommitResult {
  /** One item an operation, in order: the new version for a put, undefined for all others. */
  readonly versions: readonly (Version | undefined)[];
  /** Positions of the entries that the commit appended, in the order of its appends. */
  readonly positions: readonly LogPosition[];
}

export interface ListQuery {
  /** Only keys after this one. */
  readonly after?: string | undefined;
  /** At least 1, at most `STORAGE_LIMITS.maxPage`. */
  readonly limit: number;
  /** Ask for values too; keys alone are cheaper. */
  readonly values?: boolean | undefined;
}

export interface ListedRecord {
  readonly key: string;
  /** Present when values were asked for. */
  readonly record?: StoredRecord | undefined;
}

export interface ListPage {
  readonly items: readonly ListedRecord[];
  /** Pass as `after` for the next page; undefined when this was the last. */
  readonly next: string | undefined;
}

/** A place in the order of expiry: by instant, then by key in byte order. */
export interface ExpiredPosition {
  readonly expiresAt: EpochMillis;
  readonly key: string;
}

export interface ExpiredPage {
  readonly items: readonly StoredRecord[];
  readonly next: ExpiredPosition | undefined;
}

/**
 * Durable, ordered, conditional key-value storage. Blind to the domain.
 *
 * Keys are compared as UTF-8 bytes. Every method rejects with `StorageError`: `unavailable` (nothing happened, try
 * again), `outcome_unknown` (a commit may or may not have applied), `conflict`, `limit`, `aborted`, `closed`.
 */
export interface Storage {
  /** The latest committed record. Reads see every commit acknowledged before them. */
  get(key: string, options?: CallOptions): Promise<StoredRecord | undefined>;
  /** One answer a key, in order; at most `STORAGE_LIMITS.maxGetMany` keys. */
  getMany(keys: readonly string[], options?: CallOptions): Promise<readonly (StoredRecord | undefined)[]>;
  /** Keys under a prefix in byte order. A key present throughout a paged walk appears exactly once. */
  list(prefix: string, query: ListQuery, options?: CallOptions): Promise<ListPage>;
  /** Records under a prefix whose `expiresAt` is strictly before `before`, oldest first. Cost follows the expired. */
  listExpired(
    prefix: string,
    before: EpochMillis,
    query: { readonly after?: ExpiredPosition | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<ExpiredPage>;
  /**
   * Applies all operations or none: at least one; at most `STORAGE_LIMITS.maxOperations` on records, each key at most once,
   * and `STORAGE_LIMITS.maxAppends` appends.
   * Once it resolves the commit survives the death of the process.
   *
   * @throws StorageError `conflict` naming the keys whose precondition failed; nothing was applied.
   */
  commit(operations: readonly Operation[], options?: CallOptions): Promise<CommitResult>;
  /**
   * The first entries of a log. An entry whose commit was acknowledged before another was sent comes before that one;
   * entries of concurrent commits stand in any order, also before entries that were read earlier.
   */
  readLog(log: string, query: { readonly limit: number }, options?: CallOptions): Promise<readonly LogEntry[]>;
  /**
   * Removes entries; a position that is not there is ignored. At most `STORAGE_LIMITS.maxPage` positions. After a crash
   * of the machine entries may be there again that were removed shortly before it.
   */
  removeFromLog(log: string, positions: readonly LogPosition[], options?: CallOptions): Promise<void>;
  /**
   * The time of the storage's own clock, where it has one: that of a database server, which several nodes share. It must
   * not be the clock of this process.
   */
  now?(options?: CallOptions): Promise<EpochMillis>;
  /** Idempotent. Waits for commits under way; later calls reject with `closed`. */
  close(): Promise<void>;
}
