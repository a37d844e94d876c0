/** The Storage port on PostgreSQL. Every answer comes from the primary: no call is ever answered from memory or a standby. */
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
  type ExpiredPage,
  type ExpiredPosition,
  isStorageError,
  type ListPage,
  type ListQuery,
  type LogEntry,
  type LogPosition,
  type Operation,
  type Storage,
  StorageError,
  StorageGate,
  type StoredRecord,
} from '@postern/ports';
import type { QueryResultRow } from 'pg';
import { type CommitCall, type CommitRow, decodeCommit, encodeCommit } from './commit-call.js';
import { type Connections, pause } from './connections.js';
import { codeOf, faultOf, isLockTimeout, isNotSent, isRolledBack, mayBeTriedAgain, safeCause } from './failure.js';
import { openDatabase } from './open-database.js';
import type { PostgresStorageOptions } from './options.js';
import { expiredPageOf, expiredValues, pageOf, pageValues, recordPageOf } from './pages.js';
import { createReadQueue, type ReadQueue } from './read-queue.js';
import { type RecordRow, recordOf, textToBytes } from './rows.js';
import { finalizeSchema, SETTLED_AT_ONCE } from './schema.js';
import { settingsOf } from './settings.js';
import { type Statement, type Statements, statementsOf } from './statements.js';

/** How often a call is sent if an unrelated transaction was in its way. */
const MAX_ATTEMPTS = 8;
const UNDEFINED_FUNCTION = '42883';
const NOT_SUPPORTED = '0A000';
/** A row that is locked for longer has a queue of readers, or a holder that hangs: the table is locked then, for once. */
const LOCK_WAIT_MS = 1_000;

/**
 * Opens a database, and makes its tables where they are missing. Any number of processes may have it open.
 *
 * Bounds: a call waits for a connection for `connectTimeoutMs`, the server works on it for `statementTimeoutMs`; beyond
 * either it is `unavailable`, or `outcome_unknown` for a commit that was sent and not answered.
 *
 * @throws PostgresOpenError `unreachable`, `refused`, `denied`, `newer_schema`, `foreign_schema`, `replica`, `unusable`;
 *   TypeError for invalid options.
 * @example
 * ```ts
 * const storage = await openPostgresStorage({ host: 'db.internal', database: 'postern', user: 'postern', tls: true });
 * ```
 */
export async function openPostgresStorage(options: PostgresStorageOptions = {}): Promise<Storage> {
  const settings = settingsOf(options);
  return new PostgresStorage(await openDatabase(settings), statementsOf(settings.schema));
}

/**
 * Ends a rolling upgrade for the schema, where an earlier release made it: those can open it no more, and renewals cost less from then on.
 * Servers that run go on; their commits wait for a moment.
 *
 * @throws PostgresOpenError as `openPostgresStorage`; StorageError `unavailable`: nothing was changed.
 */
export async function finalizePostgresSchema(options: PostgresStorageOptions = {}): Promise<void> {
  const settings = settingsOf(options);
  const connections = await openDatabase(settings);
  try {
    const client = await connections.acquire(undefined);
    try {
      await finalizeSchema(client, settings.schema);
    } catch (error) {
      throw new StorageError('unavailable', 'the schema could not be finalized', { cause: safeCause(error) });
    } finally {
      client.release();
    }
  } finally {
    await connections.end();
  }
}

class PostgresStorage implements Storage {
  readonly #connections: Connections;
  readonly #statements: Statements;
  readonly #gate = new StorageGate();
  readonly #reads: ReadQueue;

  constructor(connections: Connections, statements: Statements) {
    this.#connections = connections;
    this.#statements = statements;
    this.#reads = createReadQueue(async (keys) => {
      const rows = await this.#ask<RecordRow>(statements.getMany, [keys.map(textToBytes)], undefined);
      return rows.map(recordOf);
    });
  }

  async get(key: string, options?: CallOptions): Promise<StoredRecord | undefined> {
    this.#gate.admit(options, checkKey, key);
    return (await this.#gate.follow(this.#reads.ask([key], options?.signal))).get(key);
  }

  async getMany(keys: readonly string[], options?: CallOptions): Promise<readonly (StoredRecord | undefined)[]> {
    this.#gate.admit(options, checkGetMany, keys);
    if (keys.length === 0) return [];
    const asked = [...keys];
    const found = await this.#gate.follow(this.#reads.ask(asked, options?.signal));
    return asked.map((key) => found.get(key));
  }

  async list(prefix: string, query: ListQuery, options?: CallOptions): Promise<ListPage> {
    this.#gate.admit(options, checkList, prefix, query);
    const { limit, values } = query;
    const parameters = pageValues(prefix, query);
    return values === true
      ? recordPageOf(await this.#read<RecordRow>(this.#statements.listRecords, parameters, options), limit)
      : pageOf(await this.#read<Pick<RecordRow, 'key'>>(this.#statements.listKeys, parameters, options), limit);
  }

  async listExpired(
    prefix: string,
    before: number,
    query: { readonly after?: ExpiredPosition | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<ExpiredPage> {
    this.#gate.admit(options, checkListExpired, prefix, before, query);
    const { limit } = query;
    const parameters = expiredValues(prefix, before, query);
    const { listExpired, listExpiredOlder } = this.#statements;
    const isSettled = query.after !== undefined || (await this.#settle(before, options));
    const rows = await this.#read<RecordRow>(isSettled ? listExpired : listExpiredOlder, parameters, options);
    return expiredPageOf(rows, limit);
  }

  /** @returns false for a schema of version 1, which has no table of expiries; it may get one while this node runs. */
  async #settle(before: number, options: CallOptions | undefined): Promise<boolean> {
    try {
      for (;;) {
        const [row] = await this.#read<{ settled: number }>(this.#statements.settleExpiries, [before], options);
        if (row === undefined || row.settled < SETTLED_AT_ONCE) return true;
      }
    } catch (error) {
      if (isStorageError(error) && codeOf(error.cause) === UNDEFINED_FUNCTION) return false;
      throw error;
    }
  }

  async commit(operations: readonly Operation[], options?: CallOptions): Promise<CommitResult> {
    this.#gate.admit(options, checkOperations, operations);
    const call = encodeCommit(operations);
    return this.#gate.follow(this.#send(call, options?.signal));
  }

  async readLog(log: string, query: { readonly limit: number }, options?: CallOptions): Promise<readonly LogEntry[]> {
    this.#gate.admit(options, checkReadLog, log, query);
    const parameters = [textToBytes(log), query.limit];
    const rows = await this.#read<{ position: string; value: Buffer }>(this.#statements.readLog, parameters, options);
    return rows.map(({ position, value }) => ({ position, value: value.toString('utf8') }));
  }

  async removeFromLog(log: string, positions: readonly LogPosition[], options?: CallOptions): Promise<void> {
    this.#gate.admit(options, checkRemoveFromLog, log, positions);
    const own = positions.filter(isPosition);
    // Repeatable like a read: an entry that is gone already is no matter.
    if (own.length > 0) await this.#read(this.#statements.removeFromLog, [textToBytes(log), own], options);
  }

  async now(options?: CallOptions): Promise<number> {
    this.#gate.admit(options, () => undefined);
    const [row] = await this.#read<{ readonly now: string }>(this.#statements.now, [], options);
    return Number(row?.now);
  }

  close(): Promise<void> {
    return this.#gate.close(() => this.#connections.end());
  }

  #read<Row extends QueryResultRow>(statement: Statement, values: unknown[], options: CallOptions | undefined) {
    return this.#gate.follow(this.#ask<Row>(statement, values, options?.signal));
  }

  async #ask<Row extends QueryResultRow>(statement: Statement, values: unknown[], signal: AbortSignal | undefined) {
    try {
      return await this.#connections.repeat<Row>(statement, values, MAX_ATTEMPTS, signal);
    } catch (error) {
      // No connection was given.
      if (isStorageError(error)) throw error;
      throw new StorageError('unavailable', 'the database could not be read', {
        cause: safeCause(error),
        fault: faultOf(error),
      });
    }
  }

  async #send(call: CommitCall, signal: AbortSignal | undefined): Promise<CommitResult> {
    let wholeTable: boolean = false;
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.#connections.acquire(signal);
      const values = [...call.values, LOCK_WAIT_MS, wholeTable];
      let rows: readonly CommitRow[];
      try {
        rows = await this.#connections.ask<CommitRow & QueryResultRow>(client, this.#statements.commit, values);
      } catch (error) {
        const wasBlocked: boolean = isLockTimeout(error) && !wholeTable;
        // An engine that locks no tables: then there is but the row to wait for.
        const isRefused: boolean = wholeTable && codeOf(error) === NOT_SUPPORTED;
        const goesOn = wasBlocked || isRefused || mayBeTriedAgain(error);
        if (attempt === MAX_ATTEMPTS || !goesOn) throw failedCommit(error);
        wholeTable = wasBlocked || (wholeTable && !isRefused);
        if (!wasBlocked) await pause(attempt);
        continue;
      }
      const [row] = rows;
      if (row === undefined) throw new StorageError('outcome_unknown', 'the database answered without a row');
      return decodeCommit(call, row);
    }
  }
}

function failedCommit(error: unknown): StorageError {
  const cause = safeCause(error);
  if (isRolledBack(error) || isNotSent(error)) {
    return new StorageError('unavailable', 'the database could not write; nothing was applied', {
      cause,
      fault: faultOf(error),
    });
  }
  return new StorageError('outcome_unknown', 'a commit was sent, and no answer came', { cause });
}

/** As `bigint` has them: another adapter's position names no entry. */
function isPosition(position: LogPosition): boolean {
  return /^[1-9]\d{0,17}$/.test(position);
}
