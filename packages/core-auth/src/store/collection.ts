/** Typed collections over the Storage port: key, codec, version. The only place that builds storage keys. */
import type { CallOptions, EpochMillis, Operation, Precondition, Storage, StoredRecord, Version } from '@postern/ports';
import type { z } from 'zod';
import { AuthError } from '../errors.js';
import { deepFreeze } from './deep-freeze.js';

/** A decoded record with the version it was read at. */
export interface Entry<T> {
  readonly id: string;
  readonly value: T;
  readonly version: Version;
  readonly expiresAt: EpochMillis | undefined;
}

/** Named records of one type under one prefix. Writes are built here and committed by the caller, several in one commit. */
export interface Collection<T> {
  readonly prefix: string;
  /**
   * Always asks the storage. What it decoded lately is not decoded again while the version is the same: a role is read at
   * every login, and to check it costs more than to read it. So entries are shared between callers, and frozen.
   *
   * @throws AuthError `internal` when the stored record does not decode.
   */
  get(id: string, options?: CallOptions): Promise<Entry<T> | undefined>;
  /** Ids in byte order, a page at a time. */
  ids(
    query: { after?: string | undefined; limit: number },
    options?: CallOptions,
  ): Promise<{ ids: string[]; next: string | undefined }>;
  /** All ids, walking every page. */
  allIds(options?: CallOptions): Promise<string[]>;
  /** All records by their ids in byte order, walking every page. @throws AuthError `internal` like `get`. */
  all(options?: CallOptions): Promise<Entry<T>[]>;
  put(id: string, value: T, condition: Precondition, expiresAt?: EpochMillis): Operation;
  delete(id: string, condition: Precondition): Operation;
  check(id: string, condition: Precondition): Operation;
  /** Decodes what a key of this collection holds; for records met by `listExpired`. */
  decode(id: string, value: string): T;
}

const PAGE = 1000;

/** Decoded entries that a collection keeps. Beyond it the oldest goes first. */
const MAX_DECODED = 256;

/**
 * @param prefix ends with `/`; ids are appended as they are, so an id must not be able to contain a key of a longer prefix.
 * @param schema checks what comes back from storage; a record that does not fit is a defect, never half-read.
 */
export function createCollection<T>(storage: Storage, prefix: string, schema: z.ZodType<T>): Collection<T> {
  function decode(id: string, text: string): T {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    throw new AuthError('internal', `the stored record ${prefix}${id} cannot be read`, { reason: 'record_corrupt' });
  }

  const decoded = new Map<string, Entry<T>>();

  /** Versions are never reused for a key, so key and version name one value. */
  function knownEntryOf(record: StoredRecord): Entry<T> {
    const known = decoded.get(record.key);
    if (known?.version === record.version) return known;
    const entry = deepFreeze(entryOf(record));
    decoded.delete(record.key);
    decoded.set(record.key, entry);
    for (const oldest of decoded.keys()) {
      if (decoded.size <= MAX_DECODED) break;
      decoded.delete(oldest);
    }
    return entry;
  }

  function entryOf({ key, value, version, expiresAt }: StoredRecord): Entry<T> {
    const id = key.slice(prefix.length);
    return { id, value: decode(id, value), version, expiresAt };
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
    decode,
    async get(id, options) {
      const record = await storage.get(prefix + id, options);
      return record === undefined ? undefined : knownEntryOf(record);
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
          if (record !== undefined) all.push(entryOf(record));
        }
        after = page.next;
      } while (after !== undefined);
      return all;
    },
    put: (id, value, condition, expiresAt) => ({
      type: 'put',
      key: prefix + id,
      value: JSON.stringify(value),
      expiresAt,
      if: condition,
    }),
    delete: (id, condition) => ({ type: 'delete', key: prefix + id, if: condition }),
    check: (id, condition) => ({ type: 'check', key: prefix + id, if: condition }),
  };
}

/** The precondition that a record is still as it was read, or still absent. */
export function unchanged(entry: { readonly version: Version } | undefined): Precondition {
  return entry === undefined ? 'absent' : { version: entry.version };
}
