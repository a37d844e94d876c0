/**
 * The reference Storage: what the port means, in the plainest form. Nothing survives the process. Keys and expiries are kept in
 * sorted chunks of bounded length: nothing is ever sorted as a whole, so that a page costs its own length however many records there are.
 */
import {
  type CallOptions,
  type CommitResult,
  checkGetMany,
  checkKey,
  checkList,
  checkListExpired,
  checkOperations,
  checkReadLog,
  checkRemoveFromLog,
  compareExpired,
  compareUtf8,
  type ExpiredPage,
  type ExpiredPosition,
  type ListedRecord,
  type ListPage,
  type ListQuery,
  type LogEntry,
  type LogPosition,
  type Operation,
  preconditionHolds,
  type RecordOperation,
  type Storage,
  StorageError,
  StorageGate,
  type StoredRecord,
  type Version,
} from '@postern/ports';

/**
 * Creates an empty Storage in memory: atomic, ordered and conditional as the port asks, not durable.
 *
 * @example
 * ```ts
 * const storage = createMemoryStorage();
 * await storage.commit([{ type: 'put', key: 'a', value: '1', if: 'absent' }]);
 * ```
 */
export function createMemoryStorage(): Storage {
  return new MemoryStorage();
}

class MemoryStorage implements Storage {
  readonly #gate = new StorageGate();
  readonly #records = new Map<string, StoredRecord>();
  readonly #keys = new SortedList<string>(compareUtf8);
  readonly #expiries = new SortedList<ExpiredPosition>(compareExpired);
  /** By name, then by position in the order of appending. */
  readonly #logs = new Map<string, Map<LogPosition, string>>();
  #lastPosition = 0;
  // One count for all keys: a key deleted and re-created can't meet a version it had.
  #lastVersion = 0;

  async get(key: string, options?: CallOptions): Promise<StoredRecord | undefined> {
    this.#gate.admit(options, checkKey, key);
    return this.#records.get(key);
  }

  async getMany(keys: readonly string[], options?: CallOptions): Promise<readonly (StoredRecord | undefined)[]> {
    this.#gate.admit(options, checkGetMany, keys);
    return keys.map((key) => this.#records.get(key));
  }

  async list(prefix: string, query: ListQuery, options?: CallOptions): Promise<ListPage> {
    this.#gate.admit(options, checkList, prefix, query);
    const { after, limit, values } = query;
    const isBefore = (key: string) =>
      compareUtf8(key, prefix) < 0 || (after !== undefined && compareUtf8(key, after) <= 0);
    const items: ListedRecord[] = [];
    for (const key of this.#keys.from(isBefore)) {
      if (!key.startsWith(prefix)) break;
      if (items.length === limit) return { items, next: items.at(-1)?.key };
      items.push(values === true ? { key, record: this.#records.get(key) } : { key });
    }
    return { items, next: undefined };
  }

  async listExpired(
    prefix: string,
    before: number,
    query: { readonly after?: ExpiredPosition | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<ExpiredPage> {
    this.#gate.admit(options, checkListExpired, prefix, before, query);
    const { after, limit } = query;
    const items: StoredRecord[] = [];
    let last: ExpiredPosition | undefined;
    for (const position of this.#expiries.from((other) => after !== undefined && compareExpired(other, after) <= 0)) {
      if (position.expiresAt >= before) break;
      const record = position.key.startsWith(prefix) ? this.#records.get(position.key) : undefined;
      if (record === undefined) continue;
      if (items.length === limit) return { items, next: last };
      items.push(record);
      last = position;
    }
    return { items, next: undefined };
  }

  async commit(operations: readonly Operation[], options?: CallOptions): Promise<CommitResult> {
    this.#gate.admit(options, checkOperations, operations);
    const failed = operations.flatMap((operation) => {
      if (operation.type === 'append') return [];
      return preconditionHolds(operation.if, this.#records.get(operation.key)?.version) ? [] : [operation.key];
    });
    if (failed.length > 0) throw new StorageError('conflict', 'a precondition failed', { keys: failed });
    const positions: LogPosition[] = [];
    const versions = operations.map((operation) => {
      if (operation.type !== 'append') return this.#apply(operation);
      positions.push(this.#append(operation.log, operation.value));
      return undefined;
    });
    return { versions, positions };
  }

  async readLog(log: string, query: { readonly limit: number }, options?: CallOptions): Promise<readonly LogEntry[]> {
    this.#gate.admit(options, checkReadLog, log, query);
    return [...(this.#logs.get(log) ?? [])].slice(0, query.limit).map(([position, value]) => ({ position, value }));
  }

  async removeFromLog(log: string, positions: readonly LogPosition[], options?: CallOptions): Promise<void> {
    this.#gate.admit(options, checkRemoveFromLog, log, positions);
    const entries = this.#logs.get(log);
    for (const position of positions) entries?.delete(position);
    if (entries?.size === 0) this.#logs.delete(log);
  }

  close(): Promise<void> {
    return this.#gate.close(() => undefined);
  }

  #append(log: string, value: string): LogPosition {
    this.#lastPosition += 1;
    const position = String(this.#lastPosition);
    const entries = this.#logs.get(log) ?? new Map<LogPosition, string>();
    this.#logs.set(log, entries.set(position, value));
    return position;
  }

  #apply(operation: RecordOperation): Version | undefined {
    if (operation.type === 'check') return undefined;
    const { key } = operation;
    const previous = this.#records.get(key);
    if (previous?.expiresAt !== undefined) this.#expiries.delete({ expiresAt: previous.expiresAt, key });
    if (operation.type === 'delete') {
      this.#records.delete(key);
      this.#keys.delete(key);
      return undefined;
    }
    this.#lastVersion += 1;
    const { value, expiresAt } = operation;
    const version = String(this.#lastVersion);
    // Frozen, because readers hold the very record that is stored.
    this.#records.set(key, Object.freeze({ key, value, version, expiresAt }));
    if (previous === undefined) this.#keys.add(key);
    if (expiresAt !== undefined) this.#expiries.add({ expiresAt, key });
    return version;
  }
}

const MAX_CHUNK = 512;

/** Says on which side of a place an item is: true for all items before it, false for all from it on. */
export type IsBefore<T> = (item: T) => boolean;

/** Items in the order of `compare`, each at most once. */
export class SortedList<T extends string | object> {
  readonly #compare: (left: T, right: T) => number;
  readonly #chunks: T[][] = [];

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  /** Adds an item; one that is already there stays as it is. */
  add(item: T): void {
    const place = this.#find((other) => this.#compare(other, item) < 0);
    const found = place.chunk?.[place.index];
    if (found !== undefined && this.#compare(found, item) === 0) return;
    // Past the last chunk: the item is the greatest, and joins the last chunk rather than a new one.
    const position = place.chunk === undefined ? Math.max(this.#chunks.length - 1, 0) : place.position;
    const chunk = this.#chunks[position];
    if (chunk === undefined) {
      this.#chunks.push([item]);
      return;
    }
    chunk.splice(place.chunk === undefined ? chunk.length : place.index, 0, item);
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(position + 1, 0, chunk.splice(MAX_CHUNK >>> 1));
  }

  /** Removes the item equal to this one, if there is one. */
  delete(item: T): void {
    const { chunk, position, index } = this.#find((other) => this.#compare(other, item) < 0);
    const found = chunk?.[index];
    if (chunk === undefined || found === undefined || this.#compare(found, item) !== 0) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(position, 1);
  }

  /** Items from a place on, in order. The list must not change while they are taken. */
  *from(isBefore: IsBefore<T>): Generator<T, void, void> {
    const start = this.#find(isBefore);
    let index = start.index;
    for (let position = start.position; position < this.#chunks.length; position += 1) {
      const chunk = this.#chunks[position] ?? [];
      for (; index < chunk.length; index += 1) {
        const item = chunk[index];
        if (item !== undefined) yield item;
      }
      index = 0;
    }
  }

  #find(isBefore: IsBefore<T>): { chunk: T[] | undefined; position: number; index: number } {
    const position = firstNotBefore(this.#chunks, (chunk) => {
      const last = chunk.at(-1);
      return last !== undefined && isBefore(last);
    });
    const chunk = this.#chunks[position];
    return { chunk, position, index: chunk === undefined ? 0 : firstNotBefore(chunk, isBefore) };
  }
}

function firstNotBefore<T>(items: readonly T[], isBefore: IsBefore<T>): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
