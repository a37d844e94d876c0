/** Storage on one SQLite file: durable, group-committed, one writer process at a time. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
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
import { CommitQueue } from './commit-queue.js';
import { type Connection, closeConnection, openConnection } from './connection.js';
import { createDatabaseFile, makePrivate, restoringFileOf } from './database-file.js';
import { loadSqliteDriver, type SqliteDriver } from './driver.js';
import { acquireFileLock, type FileLock } from './file-lock.js';
import { LogFlush } from './log-flush.js';
import { readLog } from './log-rows.js';
import { faultOf, SqliteOpenError } from './open-error.js';
import { readExpired, readPage } from './pages.js';
import { RecordCache } from './record-cache.js';
import { integerOf, recordOf, textToBytes } from './rows.js';
import { type CommitOutcome, commitGroup, type EncodedOperation, encodeOperation } from './transaction.js';

export interface SqliteStorageOptions {
  /** The database file; its folder is created, owner-only, when it is missing. `FILE-wal`, `FILE-shm` and
   * `FILE-lock` stand beside it. */
  readonly file: string;
  /** How long to wait for another process to let go of the file before failing with `in_use`. Default 1,000. */
  readonly lockWaitMs?: number | undefined;
  /** Another SQLite driver than the one this Node has. */
  readonly driver?: SqliteDriver | undefined;
}

/**
 * Opens a database file, creating it when it is missing, and holds it locked until `close()` or the process ends.
 *
 * @throws SqliteOpenError `in_use`, `newer_schema`, `foreign_file`, `corrupt`, `unusable`.
 * @example
 * ```ts
 * const storage = await openSqliteStorage({ file: './postern-data/postern.db' });
 * ```
 */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  const driver = options.driver ?? (await loadSqliteDriver());
  // An absolute path also takes the special names from SQLite: `:memory:` and `file:` URIs are files like any other.
  const file = resolve(options.file);
  createDatabaseFile(file);
  const lock = await acquireFileLock(driver, file, options.lockWaitMs ?? 1_000);
  try {
    if (existsSync(restoringFileOf(file))) {
      const advice = `a restore broke off. Run it again, or remove ${restoringFileOf(file)} to keep what is there.`;
      throw new SqliteOpenError('unusable', file, advice);
    }
    const connection = openConnection(driver, file);
    makePrivate(file);
    return new SqliteStorage(connection, lock, new LogFlush(file, driver));
  } catch (error) {
    lock.release();
    throw error;
  }
}

class SqliteStorage implements Storage {
  readonly #connection: Connection;
  readonly #lock: FileLock;
  readonly #log: LogFlush;
  readonly #queue: CommitQueue;
  readonly #gate = new StorageGate();
  readonly #cache = new RecordCache();
  readonly #readRecord: (key: string) => StoredRecord | undefined;
  /** SQLite's count of what other connections wrote, as last asked; undefined when not asked yet. */
  #dataVersion: number | undefined;
  #askedThisTurn = false;
  #damage: StorageError | undefined;
  /** A flush failed: what it was for may be missing in the log, and what comes after it would be cut off with it. */
  #logIsTorn = false;

  constructor(connection: Connection, lock: FileLock, log: LogFlush) {
    this.#connection = connection;
    this.#lock = lock;
    this.#log = log;
    this.#readRecord = (key) => getRecord(connection, key);
    this.#queue = new CommitQueue({ write: (group) => this.#writeGroup(group), flush: () => this.#flushLog() });
    // From here on commits are flushed by `LogFlush`; SQLite flushes the log before a checkpoint, and the database after it.
    connection.database.exec('PRAGMA synchronous = NORMAL');
  }

  async get(key: string, options?: CallOptions): Promise<StoredRecord | undefined> {
    this.#gate.admit(options, checkKey, key);
    const durable = this.#queue.whenDurable(key);
    if (durable !== undefined) await durable;
    return this.#read(() => this.#lookUp(key));
  }

  async getMany(keys: readonly string[], options?: CallOptions): Promise<readonly (StoredRecord | undefined)[]> {
    this.#gate.admit(options, checkGetMany, keys);
    const written = keys.find((key) => this.#queue.whenDurable(key) !== undefined);
    if (written !== undefined) await this.#queue.whenDurable(written);
    return this.#read(() => keys.map((key) => this.#lookUp(key)));
  }

  async list(prefix: string, query: ListQuery, options?: CallOptions): Promise<ListPage> {
    this.#gate.admit(options, checkList, prefix, query);
    await this.#queue.whenDurable();
    return this.#read((connection) => readPage(connection.statements, prefix, query));
  }

  async listExpired(
    prefix: string,
    before: number,
    query: { readonly after?: ExpiredPosition | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<ExpiredPage> {
    this.#gate.admit(options, checkListExpired, prefix, before, query);
    await this.#queue.whenDurable();
    return this.#read((connection) => readExpired(connection.statements, prefix, before, query));
  }

  async commit(operations: readonly Operation[], options?: CallOptions): Promise<CommitResult> {
    this.#gate.admit(options, checkOperations, operations);
    return this.#queue.submit(operations.map(encodeOperation), options?.signal);
  }

  async readLog(log: string, query: { readonly limit: number }, options?: CallOptions): Promise<readonly LogEntry[]> {
    this.#gate.admit(options, checkReadLog, log, query);
    await this.#queue.whenDurable();
    return this.#read((connection) => readLog(connection, log, query.limit));
  }

  async removeFromLog(log: string, positions: readonly LogPosition[], options?: CallOptions): Promise<void> {
    this.#gate.admit(options, checkRemoveFromLog, log, positions);
    await this.#queue.submit([{ type: 'remove', log, positions: [...positions] }], options?.signal);
  }

  close(): Promise<void> {
    return this.#gate.close(async () => {
      await this.#queue.drain();
      closeConnection(this.#connection);
      this.#log.close();
      this.#lock.release();
    });
  }

  #writeGroup(group: readonly (readonly EncodedOperation[])[]): readonly CommitOutcome[] {
    this.#refuseDamaged();
    try {
      this.#mendLog();
      return commitGroup(this.#connection, group, () => this.#known());
    } catch (error) {
      this.#noticeDamage(error);
      throw error;
    }
  }

  async #flushLog(): Promise<void> {
    try {
      await this.#log.flush();
    } catch (cause) {
      this.#logIsTorn = true;
      throw new StorageError('outcome_unknown', 'the disk failed while commits were made durable', { cause });
    }
  }

  /** Moves everything into the database file, by SQLite's own flushes, and begins the log anew. */
  #mendLog(): void {
    if (!this.#logIsTorn) return;
    try {
      const row = this.#connection.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      if (integerOf(row, 'busy') !== 0) throw new Error('another program reads the database');
      this.#logIsTorn = false;
    } catch (cause) {
      const message = 'the log could not be made whole after a failure of the disk; nothing was applied';
      throw new StorageError('unavailable', message, { cause, fault: faultOf(cause) });
    }
  }

  #lookUp(key: string): StoredRecord | undefined {
    this.#noticeOtherWriters();
    return this.#cache.read(key, this.#readRecord);
  }

  /** Asked once a turn of the event loop: what somebody else commits counts at the latest in the next. */
  #noticeOtherWriters(): void {
    if (this.#askedThisTurn) return;
    this.#known();
    this.#askedThisTurn = true;
    setImmediate(() => {
      this.#askedThisTurn = false;
    });
  }

  /** The records that are remembered, without those that somebody else wrote. */
  #known(): RecordCache {
    const version = integerOf(this.#connection.statements.dataVersion.get(), 'data_version');
    if (version !== this.#dataVersion) this.#cache.forgetAll();
    this.#dataVersion = version;
    return this.#cache;
  }

  #read<T>(ask: (connection: Connection) => T): T {
    try {
      return ask(this.#connection);
    } catch (error) {
      const failure = new StorageError('unavailable', 'the database could not be read', {
        cause: error,
        fault: faultOf(error),
      });
      this.#noticeDamage(failure);
      throw failure;
    }
  }

  #noticeDamage(error: unknown): void {
    if (error instanceof StorageError && error.fault === 'broken') this.#damage ??= error;
  }

  /** What is damaged is not written to any more: each write could destroy more of it. */
  #refuseDamaged(): void {
    if (this.#damage === undefined) return;
    throw new StorageError('unavailable', 'the database is damaged; nothing was applied', {
      cause: this.#damage.cause,
      fault: 'broken',
    });
  }
}

function getRecord({ statements }: Connection, key: string): StoredRecord | undefined {
  const row = statements.get.get(textToBytes(key));
  return row === undefined ? undefined : recordOf(key, row);
}
