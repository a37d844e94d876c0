/** A Storage that fails on purpose, repeatably, around one that works. */
import {
  type CallOptions,
  type CommitResult,
  checkOperations,
  type ExpiredPage,
  type ExpiredPosition,
  type ListPage,
  type ListQuery,
  type LogEntry,
  type LogPosition,
  type Operation,
  type Storage,
  StorageError,
  type StoredRecord,
} from '@postern/ports';
import { type CommitFault, checkRates, drawFault, type FaultPlan, type ReadFault } from './fault-plan.js';
import { createSeededRandom, type SeededRandom } from './seeded-random.js';

/** A storage with faults, and the test's hand on them. */
export interface FaultStorage extends Storage {
  /**
   * The next commit about records suffers this fault, whatever the plan says: one that only appends to logs does not. Called
   * twice, the next two do.
   */
  failNextCommit(fault: CommitFault): void;
  /** The next read suffers this fault. A forced `stale` waits for a `get` or `getMany`. */
  failNextRead(fault: ReadFault): void;
  /** How often each fault struck, as `commit:conflict` or `read:stale`. */
  faults(): ReadonlyMap<string, number>;
}

/**
 * Wraps a storage with faults.
 *
 * @throws TypeError when the plan's rates are no probabilities.
 * @example
 * ```ts
 * const storage = createFaultStorage(createMemoryStorage(), { seed: 7, commits: { conflict: 0.2 }, maxYields: 3 });
 * storage.failNextCommit('applied_unknown');
 * ```
 */
export function createFaultStorage(inner: Storage, plan: FaultPlan = {}): FaultStorage {
  checkRates(plan.commits ?? {});
  checkRates(plan.reads ?? {});
  return new FaultyStorage(inner, plan);
}

class FaultyStorage implements FaultStorage {
  readonly #inner: Storage;
  readonly #plan: FaultPlan;
  readonly #random: SeededRandom;
  readonly #forcedCommits: CommitFault[] = [];
  readonly #forcedReads: ReadFault[] = [];
  readonly #struck = new Map<string, number>();
  /** What each key held before its last change; undefined when it was absent. */
  readonly #previous = new Map<string, StoredRecord | undefined>();
  #closed = false;

  constructor(inner: Storage, plan: FaultPlan) {
    this.#inner = inner;
    this.#plan = plan;
    this.#random = createSeededRandom(plan.seed ?? 1);
  }

  failNextCommit(fault: CommitFault): void {
    this.#forcedCommits.push(fault);
  }

  failNextRead(fault: ReadFault): void {
    this.#forcedReads.push(fault);
  }

  faults(): ReadonlyMap<string, number> {
    return new Map(this.#struck);
  }

  async get(key: string, options?: CallOptions): Promise<StoredRecord | undefined> {
    return this.#around(async () => {
      const stale = this.#readFault(options, [key]) === 'stale';
      const record = await this.#inner.get(key, options);
      return stale ? this.#previous.get(key) : record;
    });
  }

  async getMany(keys: readonly string[], options?: CallOptions): Promise<readonly (StoredRecord | undefined)[]> {
    return this.#around(async () => {
      const stale = this.#readFault(options, keys) === 'stale';
      const records = await this.#inner.getMany(keys, options);
      if (!stale) return records;
      return keys.map((key, index) => (this.#previous.has(key) ? this.#previous.get(key) : records[index]));
    });
  }

  async list(prefix: string, query: ListQuery, options?: CallOptions): Promise<ListPage> {
    return this.#around(() => {
      this.#readFault(options, []);
      return this.#inner.list(prefix, query, options);
    });
  }

  async listExpired(
    prefix: string,
    before: number,
    query: { readonly after?: ExpiredPosition | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<ExpiredPage> {
    return this.#around(() => {
      this.#readFault(options, []);
      return this.#inner.listExpired(prefix, before, query, options);
    });
  }

  async commit(operations: readonly Operation[], options?: CallOptions): Promise<CommitResult> {
    checkOperations(operations);
    // A caller may reuse its array while the commit is still under way here.
    const sent = operations.map((operation) => ({ ...operation }));
    return this.#around(() => this.#commitWith(this.#commitFault(sent, options), sent, options));
  }

  async readLog(log: string, query: { readonly limit: number }, options?: CallOptions): Promise<readonly LogEntry[]> {
    return this.#around(() => {
      this.#readFault(options, []);
      return this.#inner.readLog(log, query, options);
    });
  }

  /** Fails as a read does: like one it can be repeated. */
  async removeFromLog(log: string, positions: readonly LogPosition[], options?: CallOptions): Promise<void> {
    return this.#around(() => {
      this.#readFault(options, []);
      return this.#inner.removeFromLog(log, positions, options);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#inner.close();
  }

  async #commitWith(
    fault: CommitFault | undefined,
    operations: readonly Operation[],
    options: CallOptions | undefined,
  ): Promise<CommitResult> {
    switch (fault) {
      case 'unavailable':
        throw new StorageError('unavailable', 'injected: the commit was refused before it was written');
      case 'lost_unknown':
        throw new StorageError('outcome_unknown', 'injected: no answer came');
      case 'conflict':
        throw new StorageError('conflict', 'injected: a precondition failed', { keys: conditionalKeys(operations) });
      case 'applied_unknown':
        await this.#deliver(operations, options);
        throw new StorageError('outcome_unknown', 'injected: no answer came');
      case 'duplicate': {
        const first = await this.#deliver(operations, options);
        // Usually a conflict with the first delivery. Where nothing forbids it, it applies again.
        await this.#deliver(operations, options).catch(() => undefined);
        return first;
      }
      case undefined:
        return this.#deliver(operations, options);
    }
  }

  async #deliver(operations: readonly Operation[], options: CallOptions | undefined): Promise<CommitResult> {
    const changed = operations.flatMap((one) => (one.type === 'put' || one.type === 'delete' ? [one.key] : []));
    const before = await this.#inner.getMany(changed, options);
    const result = await this.#inner.commit(operations, options);
    for (const [index, key] of changed.entries()) this.#previous.set(key, before[index]);
    return result;
  }

  #commitFault(operations: readonly Operation[], options: CallOptions | undefined): CommitFault | undefined {
    const drawn = drawFault(this.#plan.commits ?? {}, this.#random.next());
    if (this.#closed || options?.signal?.aborted === true) return undefined;
    const writes = operations.some(({ type }) => type !== 'append');
    const fault = (writes ? this.#forcedCommits.shift() : undefined) ?? drawn;
    if (fault === undefined || (fault === 'conflict' && conditionalKeys(operations).length === 0)) return undefined;
    this.#count(`commit:${fault}`);
    return fault;
  }

  /** @throws StorageError `unavailable` where that is the fault; otherwise tells whether these keys are to be stale. */
  #readFault(options: CallOptions | undefined, keys: readonly string[]): ReadFault | undefined {
    const drawn = drawFault(this.#plan.reads ?? {}, this.#random.next());
    if (this.#closed || options?.signal?.aborted === true) return undefined;
    const canBeStale = keys.some((key) => this.#previous.has(key));
    const isForced = this.#forcedReads[0] !== undefined && (this.#forcedReads[0] !== 'stale' || canBeStale);
    const fault = isForced ? this.#forcedReads.shift() : drawn;
    if (fault === undefined || (fault === 'stale' && !canBeStale)) return undefined;
    this.#count(`read:${fault}`);
    if (fault === 'unavailable') throw new StorageError('unavailable', 'injected: the read got no answer');
    return fault;
  }

  #count(fault: string): void {
    this.#struck.set(fault, (this.#struck.get(fault) ?? 0) + 1);
  }

  async #around<T>(call: () => Promise<T>): Promise<T> {
    await this.#pause();
    try {
      return await call();
    } finally {
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    const turns = this.#random.below((this.#plan.maxYields ?? 0) + 1);
    for (let turn = 0; turn < turns; turn += 1) {
      if (this.#random.below(2) === 0) await Promise.resolve();
      else await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** The keys that a storage could name in a conflict. */
function conditionalKeys(operations: readonly Operation[]): readonly string[] {
  return operations.flatMap((one) => (one.type === 'append' || one.if === 'any' ? [] : [one.key]));
}
