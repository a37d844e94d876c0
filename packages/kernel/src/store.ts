/**
 * Records in storage: typed collections (key, codec, version), and commits against others that write the same records: one at
 * a time within this process, deciding again after a conflict, looking after a lost answer.
 */
import {
  type Awaitable,
  type CallOptions,
  type Clock,
  type EpochMillis,
  isConflict,
  isStorageError,
  type Operation,
  type Precondition,
  STORAGE_LIMITS,
  type Storage,
  type StorageErrorCode,
  type StoredRecord,
  type Version,
} from '@postern/ports';
import { LRUCache } from 'lru-cache';
import {
  decodeRecord,
  encodeRecord,
  newestFormat,
  type OnUnreadable,
  type RecordSchema,
  type WriteFormat,
} from './record-format.js';

/**
 * A map that drops what was used longest ago. Room is taken as entries come: `max` alone would reserve all of it at once, 12 ms and
 * 4 MB for 100,000 entries, in each of the caches of each application.
 */
export function createBoundedCache<K extends {}, V extends {}>(maxEntries: number): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: maxEntries, sizeCalculation: () => 1 });
}

/** A decoded record with the version it was read at. */
export interface Entry<T> {
  readonly id: string;
  readonly value: T;
  readonly version: Version;
  readonly expiresAt: EpochMillis | undefined;
}

/** Records that a call has read together, by key; undefined for one that is not there. */
export type ReadAhead = Map<string, StoredRecord | undefined>;

export interface ReadOptions extends CallOptions {
  /** What `get` takes from here it does not read. */
  readonly ahead?: ReadAhead | undefined;
}

/** Reads what one call will `get`, in one read of storage (STORE-11). Once more, where that call decides anew. */
export async function readAhead(
  storage: Storage,
  keys: readonly string[],
  options: ReadOptions & { readonly ahead: ReadAhead },
): Promise<void> {
  const records = await storage.getMany(keys, options);
  for (let at = 0; at < keys.length; at += 1) options.ahead.set(keys[at] ?? '', records[at]);
}

/** Named records of one type under one prefix. */
export interface RecordReader<T> {
  readonly prefix: string;
  /**
   * Always reads from storage, or takes what the call read ahead. A record that it decoded lately is not decoded again while the version is the same: a role
   * is read at every login, and checking it costs more than reading it. So entries are shared between callers, and frozen.
   *
   * @throws the error of `onUnreadable` when the stored record does not decode.
   */
  get(id: string, options?: ReadOptions): Promise<Entry<T> | undefined>;
  /** As `get`, with one read of storage for `STORAGE_LIMITS.maxGetMany` ids, none for none; entries in the order of `ids`. */
  getMany(ids: readonly string[], options?: CallOptions): Promise<(Entry<T> | undefined)[]>;
  /** Ids in byte order, a page at a time. */
  ids(
    query: { after?: string | undefined; limit: number },
    options?: CallOptions,
  ): Promise<{ ids: string[]; next: string | undefined }>;
  /** All ids, walking every page. */
  allIds(options?: CallOptions): Promise<string[]>;
  /** All records by their ids in byte order, walking every page. @throws like `get`. */
  all(options?: CallOptions): Promise<Entry<T>[]>;
  delete(id: string, condition: Precondition): Operation;
  check(id: string, condition: Precondition): Operation;
  /**
   * Deletes the record as it stands now, or holds that there is no record: a commit that is delivered twice does not take what
   * was written in between. Reads the record and does not decode it: what cannot be read can be deleted.
   */
  removal(id: string, options?: CallOptions): Promise<Operation>;
}

/** Writes are built here and committed by the caller, several in one commit. */
export interface Collection<T> extends RecordReader<T> {
  put(id: string, value: T, condition: Precondition, expiresAt?: EpochMillis): Operation;
  /** Decodes what a key of this collection holds; for records met by `listExpired`. */
  decode(id: string, value: string): T;
}

const PAGE = 1000;

/** Decoded entries that a collection keeps. */
const MAX_DECODED = 256;

/**
 * @param prefix ends with `/`; ids are appended as they are, so an id must not be able to contain a key of a longer prefix.
 * @param schema checks what comes back from storage; strict, so that no member is dropped.
 * @param onUnreadable makes the error of a record that does not decode.
 * @param format of what is written. Default: the newest.
 */
export function createCollection<T extends object>(
  storage: Storage,
  prefix: string,
  schema: RecordSchema<T>,
  onUnreadable: OnUnreadable,
  format: WriteFormat = newestFormat,
): Collection<T> {
  const decode = (id: string, value: string): T => decodeRecord(schema, { key: prefix + id, value }, onUnreadable);
  return {
    ...createRecordReader(storage, prefix, (record) => decodeRecord(schema, record, onUnreadable)),
    decode,
    put: (id, value, condition, expiresAt) => ({
      type: 'put',
      key: prefix + id,
      value: encodeRecord(value, format()),
      expiresAt,
      if: condition,
    }),
  };
}

/** @param decode throws where a record does not read; returns a promise only where it has to wait. */
export function createRecordReader<T>(
  storage: Storage,
  prefix: string,
  decode: (record: StoredRecord) => Awaitable<T>,
): RecordReader<T> {
  const decoded = createBoundedCache<string, Entry<T>>(MAX_DECODED);

  /** Versions are never reused for a key, so key and version name one value. */
  function knownEntryOf(record: StoredRecord): Awaitable<Entry<T>> {
    const known = decoded.get(record.key);
    if (known?.version === record.version) return known;
    const entry = entryOf(record);
    return entry instanceof Promise ? entry.then((opened) => remember(record, opened)) : remember(record, entry);
  }

  function remember({ key }: StoredRecord, entry: Entry<T>): Entry<T> {
    decoded.set(key, deepFreeze(entry));
    return entry;
  }

  function entryOf(record: StoredRecord): Awaitable<Entry<T>> {
    const value = decode(record);
    return value instanceof Promise ? value.then((opened) => entryWith(record, opened)) : entryWith(record, value);
  }

  function entryWith({ key, version, expiresAt }: StoredRecord, value: T): Entry<T> {
    return { id: key.slice(prefix.length), value, version, expiresAt };
  }

  async function ids(query: { after?: string | undefined; limit: number }, options?: CallOptions) {
    const after = query.after === undefined ? undefined : prefix + query.after;
    const page = await storage.list(prefix, { limit: query.limit, after }, options);
    return {
      ids: page.items.map((item) => item.key.slice(prefix.length)),
      next: page.next?.slice(prefix.length),
    };
  }

  return {
    prefix,
    ids,
    async get(id, options) {
      const key = prefix + id;
      const ahead = options?.ahead;
      const record = ahead?.has(key) === true ? ahead.get(key) : await storage.get(key, options);
      return record === undefined ? undefined : knownEntryOf(record);
    },
    async getMany(ids, options) {
      const entries: (Entry<T> | undefined)[] = [];
      for (let at = 0; at < ids.length; at += STORAGE_LIMITS.maxGetMany) {
        const keys = ids.slice(at, at + STORAGE_LIMITS.maxGetMany).map((id) => prefix + id);
        const records = await storage.getMany(keys, options);
        entries.push(
          ...(await Promise.all(records.map((record) => (record === undefined ? undefined : knownEntryOf(record))))),
        );
      }
      return entries;
    },
    async allIds(options) {
      const all: string[] = [];
      let after: string | undefined;
      do {
        const page = await ids({ after, limit: PAGE }, options);
        all.push(...page.ids);
        after = page.next;
      } while (after !== undefined);
      return all;
    },
    async all(options) {
      const all: Entry<T>[] = [];
      let after: string | undefined;
      do {
        const page = await storage.list(prefix, { limit: PAGE, after, values: true }, options);
        for (const { record } of page.items) {
          if (record !== undefined) all.push(await entryOf(record));
        }
        after = page.next;
      } while (after !== undefined);
      return all;
    },
    delete: (id, condition) => ({ type: 'delete', key: prefix + id, if: condition }),
    check: (id, condition) => ({ type: 'check', key: prefix + id, if: condition }),
    async removal(id, options) {
      const key = prefix + id;
      const record = await storage.get(key, options);
      return { type: record === undefined ? 'check' : 'delete', key, if: unchanged(record) };
    },
  };
}

/** The precondition that a record is still as it was read, or still absent. */
export function unchanged(entry: { readonly version: Version } | undefined): Precondition {
  return entry === undefined ? 'absent' : { version: entry.version };
}

/** Makes a value of plain objects and arrays unchangeable: for what several callers share. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** Conflicts in a row after which a call gives up. Each means that another caller made progress. */
export const MAX_ATTEMPTS = 32;

/**
 * Runs `attempt` until it commits. It must read everything that it decides on afresh after each conflict.
 *
 * @param attempt gets the number of conflicts so far: with none, what was read just before still counts.
 */
export type RunOptimistic = <T>(attempt: (conflicts: number) => Promise<T>) => Promise<T>;

/**
 * @param contended the error after `MAX_ATTEMPTS` conflicts. Whatever else `attempt` throws is thrown on.
 */
export function createOptimisticRunner(contended: () => Error): RunOptimistic {
  return async (attempt) => {
    for (let conflicts = 0; conflicts < MAX_ATTEMPTS; conflicts += 1) {
      try {
        return await attempt(conflicts);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
    throw contended();
  };
}

/**
 * Commits; where no answer came, looks whether the commit applied.
 *
 * @param lookUp the result that the commit would have had, where it applied; undefined where it did not, or where that
 *   cannot be told. A look that fails tells nothing.
 * @param codes the failures after which to look. With `conflict`, a commit that repeats one of unknown outcome.
 * @throws the error of `commit` where `lookUp` finds nothing: the commit may still arrive.
 */
export async function resolveUnknownCommit<T>(
  commit: () => Promise<T>,
  lookUp: () => Promise<T | undefined>,
  codes: readonly StorageErrorCode[] = ['outcome_unknown'],
): Promise<T> {
  try {
    return await commit();
  } catch (error) {
    if (!isStorageError(error) || !codes.includes(error.code)) throw error;
    const found = await lookUp().catch(() => undefined);
    if (found === undefined) throw error;
    return found;
  }
}

/**
 * One at a time for each key, within this process. Correctness never rests on it (every commit is conditional); it keeps
 * many logins of one instance from wasting each other's attempts.
 */
export interface KeyedSerializer {
  /**
   * Runs `task` after every earlier task of the same key has ended, well or not, or after `MAX_TURN_MS` where the clock can
   * wait. Tasks of other keys don't wait.
   */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
}

/** A task that hangs on the storage must not add its time to that of each one after it (STORE-9). */
export const MAX_TURN_MS = 1_000;

/** Waits for work until it ends, or at most so long where the clock can wait. Leaves no timer behind: one keeps a process alive. */
export async function inTime(clock: Pick<Clock, 'sleep'>, maxMs: number, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const late = clock.sleep?.(maxMs, { signal: done.signal }).catch(() => undefined);
  try {
    await Promise.race(late === undefined ? [work] : [work, late]);
  } finally {
    done.abort();
  }
}

/** @param clock bounds how long a task waits for those before it. Without its `sleep`, until they have ended. */
export function createKeyedSerializer(clock: Pick<Clock, 'sleep'> = {}): KeyedSerializer {
  /** The last task of each key that has any; never rejects. */
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const before = tails.get(key);
      const result = before === undefined ? task() : inTime(clock, MAX_TURN_MS, before).then(task);
      const ended = () => {
        if (tails.get(key) === tail) tails.delete(key);
      };
      const tail: Promise<unknown> = result.then(ended, ended);
      tails.set(key, tail);
      return result;
    },
  };
}
