/** The Storage port on one DynamoDB table. Every answer is read strongly consistently: none comes from memory or a replica. */
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
  checkSignal,
  type EpochMillis,
  type ExpiredPage,
  type ExpiredPosition,
  type ListPage,
  type ListQuery,
  type LogEntry,
  type LogPosition,
  type Operation,
  type Storage,
  StorageGate,
  type StoredRecord,
} from '@postern/ports';
import { Calls } from './calls.js';
import { CommitGroups } from './commit-groups.js';
import { listExpired } from './expiry-list.js';
import { recordOf } from './items.js';
import { recordKey } from './keys.js';
import { Logs } from './logs.js';
import { type DynamoStorageOptions, settingsOf } from './options.js';
import { listRecords } from './record-list.js';
import { META, openTable } from './table.js';
import { transactionOf } from './transaction.js';

/**
 * Opens a table that `createDynamoTable` has made. Any number of processes may have it open.
 *
 * Bounds: a request has `requestTimeoutMs`, and a call with all its requests `timeoutMs`; then it is `unavailable`, or
 * `outcome_unknown` for a commit that was sent and not answered. A commit holds at most 4 MB.
 *
 * @throws DynamoOpenError `unreachable`, `denied`, `no_table`, `foreign_table`, `newer_table`, `unusable`; TypeError for
 *   invalid options.
 * @example
 * ```ts
 * const storage = await openDynamoStorage({ table: 'postern', region: 'eu-west-1' });
 * ```
 */
export async function openDynamoStorage(options: DynamoStorageOptions): Promise<Storage> {
  const calls = new Calls(settingsOf(options));
  try {
    return new DynamoStorage(calls, await openTable(calls));
  } catch (error) {
    calls.end();
    throw error;
  }
}

class DynamoStorage implements Storage {
  readonly #calls: Calls;
  readonly #shards: number;
  readonly #logs: Logs;
  readonly #groups: CommitGroups;
  readonly #gate = new StorageGate();

  constructor(calls: Calls, shards: number) {
    this.#calls = calls;
    this.#shards = shards;
    this.#logs = new Logs(calls, shards);
    this.#groups = new CommitGroups(calls);
  }

  async get(key: string, options?: CallOptions): Promise<StoredRecord | undefined> {
    this.#gate.admit(options, checkKey, key);
    const item = await this.#gate.follow(this.#calls.get(recordKey(key, this.#shards), options?.signal));
    return item && recordOf(item);
  }

  async getMany(keys: readonly string[], options?: CallOptions): Promise<readonly (StoredRecord | undefined)[]> {
    this.#gate.admit(options, checkGetMany, keys);
    const asked = [...keys];
    const wanted = [...new Set(asked)].map((key) => recordKey(key, this.#shards));
    const items = await this.#gate.follow(this.#calls.snapshot(wanted, options?.signal));
    const found = new Map(items.map(recordOf).map((record) => [record.key, record]));
    return asked.map((key) => found.get(key));
  }

  async list(prefix: string, query: ListQuery, options?: CallOptions): Promise<ListPage> {
    this.#gate.admit(options, checkList, prefix, query);
    return this.#gate.follow(listRecords(this.#calls, this.#shards, { prefix, query }, options?.signal));
  }

  async listExpired(
    prefix: string,
    before: number,
    query: { readonly after?: ExpiredPosition | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<ExpiredPage> {
    this.#gate.admit(options, checkListExpired, prefix, before, query);
    const { after, limit } = query;
    return this.#gate.follow(listExpired(this.#calls, this.#shards, { prefix, before, after, limit }, options?.signal));
  }

  async commit(operations: readonly Operation[], options?: CallOptions): Promise<CommitResult> {
    this.#gate.admit(options, checkOperations, operations);
    return this.#gate.follow(this.#commit([...operations], options));
  }

  async readLog(log: string, query: { readonly limit: number }, options?: CallOptions): Promise<readonly LogEntry[]> {
    this.#gate.admit(options, checkReadLog, log, query);
    return this.#gate.follow(this.#logs.read(log, query.limit, options?.signal));
  }

  async removeFromLog(log: string, positions: readonly LogPosition[], options?: CallOptions): Promise<void> {
    this.#gate.admit(options, checkRemoveFromLog, log, positions);
    await this.#gate.follow(this.#logs.remove(log, positions, options?.signal));
  }

  async now(options?: CallOptions): Promise<EpochMillis> {
    this.#gate.admit(options, () => undefined);
    return this.#gate.follow(this.#calls.now(META, options?.signal));
  }

  close(): Promise<void> {
    return this.#gate.close(() => this.#calls.end());
  }

  async #commit(operations: readonly Operation[], options: CallOptions | undefined): Promise<CommitResult> {
    const logs = operations.flatMap((operation) => (operation.type === 'append' ? [operation.log] : []));
    const following = this.#logs.follow([...new Set(logs)]);
    if (following !== undefined) {
      await following;
      checkSignal(options);
    }
    const where = { table: this.#calls.table, shards: this.#shards };
    const transaction = transactionOf(operations, where, this.#logs.nextPosition);
    // Checks that always hold are no items.
    if (transaction.items.length > 0) await this.#groups.commit(transaction, options?.signal);
    return transaction.result;
  }
}
