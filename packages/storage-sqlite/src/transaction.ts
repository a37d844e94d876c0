/**
 * A group of commits as one SQLite transaction. Each commit's preconditions are decided in order, by reads that see
 * the commits before it; one that conflicts applies nothing and does not disturb the others.
 */
import {
  type CommitResult,
  type LogPosition,
  type Operation,
  type Precondition,
  preconditionHolds,
  type RecordOperation,
  StorageError,
  type Version,
} from '@postern/ports';
import type { Connection } from './connection.js';
import { LogAppender, removeFromLog } from './log-rows.js';
import { faultOf, SQLITE_RESULT, sqliteResultOf } from './open-error.js';
import type { RecordCache } from './record-cache.js';
import { textToBytes, versionOf } from './rows.js';

/** An operation as it will be written. A copy, so that a caller's later changes can't reach what was validated. */
export type EncodedOperation = EncodedRecordOperation | EncodedAppend | EncodedRemoval;

export interface EncodedRecordOperation {
  readonly type: RecordOperation['type'];
  readonly key: string;
  readonly keyBytes: Uint8Array;
  /** Undefined unless the operation is a put. */
  readonly valueBytes: Uint8Array | undefined;
  readonly expiresAt: number | null;
  readonly if: Precondition;
}

interface EncodedAppend {
  readonly type: 'append';
  readonly log: string;
  readonly valueBytes: Uint8Array;
}

/** Of entries of a log: always alone in its commit. */
interface EncodedRemoval {
  readonly type: 'remove';
  readonly log: string;
  readonly positions: readonly LogPosition[];
}

/** Encodes a validated operation. */
export function encodeOperation(operation: Operation): EncodedOperation {
  if (operation.type === 'append') {
    return { type: 'append', log: operation.log, valueBytes: textToBytes(operation.value) };
  }
  const { key, type, if: condition } = operation;
  const put = type === 'put' ? operation : undefined;
  return {
    type,
    key,
    keyBytes: textToBytes(key),
    valueBytes: put === undefined ? undefined : textToBytes(put.value),
    expiresAt: put?.expiresAt ?? null,
    if: typeof condition === 'string' ? condition : { version: condition.version },
  };
}

/** Bytes that an operation adds to a group. */
export function sizeOf(operation: EncodedOperation): number {
  if (operation.type === 'remove') return operation.positions.length;
  if (operation.type === 'append') return operation.valueBytes.length;
  return operation.keyBytes.length + (operation.valueBytes?.length ?? 0);
}

/** What became of one commit of a group: its result, or the conflict to reject it with. */
export type CommitOutcome = CommitResult | StorageError;

/**
 * Applies a group and makes it durable. Nothing may be told to any caller before this returns: a conflict too may rest
 * on a commit of the same group.
 *
 * @param known records read lately: a precondition on one of them needs no read. Called back once the group holds the lock, so
 * that it has forgotten what others wrote; forgets what the group writes.
 * @returns one outcome a commit, in order.
 * @throws StorageError `unavailable` when nothing of the group was applied, `outcome_unknown` when the flush itself
 * failed.
 */
export function commitGroup(
  connection: Connection,
  group: readonly (readonly EncodedOperation[])[],
  known: () => RecordCache,
): readonly CommitOutcome[] {
  let isFlushing = false;
  try {
    connection.database.exec('BEGIN IMMEDIATE');
    const transaction = { connection, known: known(), appender: new LogAppender(connection) };
    const outcomes = group.map((operations) => applyCommit(transaction, operations));
    transaction.appender.write();
    isFlushing = true;
    connection.database.exec('COMMIT');
    return outcomes;
  } catch (error) {
    rollBack(connection);
    // A full disk refuses the write of the log, whose last page would make the transaction valid. Any other failure of
    // the flush, such as that of fsync, may come after that page: after a crash, recovery could find it complete.
    if (isFlushing && sqliteResultOf(error) !== SQLITE_RESULT.full) {
      throw new StorageError('outcome_unknown', 'the database failed while it made commits durable', {
        cause: error,
        fault: faultOf(error),
      });
    }
    throw new StorageError('unavailable', 'the database could not write; nothing was applied', {
      cause: error,
      fault: faultOf(error),
    });
  }
}

function rollBack({ database, versions }: Connection): void {
  versions.rolledBack();
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite rolls back by itself on a full disk and on most failures; then there is nothing left to roll back.
  }
}

interface Transaction {
  readonly connection: Connection;
  readonly known: RecordCache;
  readonly appender: LogAppender;
}

function applyCommit(transaction: Transaction, operations: readonly EncodedOperation[]): CommitOutcome {
  const { connection, appender } = transaction;
  const held = operations.every((operation) => isInsertion(transaction, operation) || holds(transaction, operation));
  const inserted = held ? insertAll(transaction, operations) : undefined;
  if (inserted === undefined) return conflictOf(transaction, operations);
  const positions: LogPosition[] = [];
  const versions = operations.map((operation, at) => {
    if (operation.type === 'append') positions.push(appender.append(operation.log, operation.valueBytes));
    else if (operation.type === 'remove') removeFromLog(connection, operation.log, operation.positions);
    else return inserted[at] ?? write(transaction, operation);
    return undefined;
  });
  return { versions, positions };
}

type EncodedPut = EncodedRecordOperation & { readonly valueBytes: Uint8Array };

/** A put whose precondition its write decides: most are of a key that no record has. */
function isInsertion({ known }: Transaction, operation: EncodedOperation): operation is EncodedPut {
  return operation.type === 'put' && operation.if === 'absent' && !known.knows(operation.key);
}

function holds({ connection, known }: Transaction, operation: EncodedOperation): boolean {
  if (operation.type === 'append' || operation.type === 'remove' || operation.if === 'any') return true;
  const { key, keyBytes } = operation;
  const current = known.knows(key) ? known.versionOf(key) : versionOf(connection.statements.version.get(keyBytes));
  return preconditionHolds(operation.if, current);
}

/**
 * Before all that a commit writes, so that one that meets a record has nothing else to undo.
 *
 * @returns the versions of the insertions, each at the place of its operation; undefined where one met a record.
 */
function insertAll(
  transaction: Transaction,
  operations: readonly EncodedOperation[],
): readonly (Version | undefined)[] | undefined {
  const { statements, versions } = transaction.connection;
  const given: (Version | undefined)[] = [];
  const inserted: Uint8Array[] = [];
  for (const [at, operation] of operations.entries()) {
    if (!isInsertion(transaction, operation)) continue;
    const { keyBytes, valueBytes, expiresAt } = operation;
    const version = versions.take();
    if (statements.insert.run(keyBytes, valueBytes, version, expiresAt).changes === 0) {
      for (const each of inserted) statements.delete.run(each);
      return undefined;
    }
    given[at] = String(version);
    inserted.push(keyBytes);
  }
  return given;
}

/** Names every key whose precondition fails, while nothing of the commit is written. */
function conflictOf(transaction: Transaction, operations: readonly EncodedOperation[]): StorageError {
  const keys = operations.flatMap((operation) =>
    'key' in operation && !holds(transaction, operation) ? operation.key : [],
  );
  return new StorageError('conflict', 'a precondition failed', { keys });
}

/** @returns the version of a put; undefined for all others. */
function write({ connection, known }: Transaction, operation: EncodedRecordOperation): Version | undefined {
  const { statements, versions } = connection;
  const { type, key, keyBytes, valueBytes, expiresAt } = operation;
  if (type === 'check') return undefined;
  known.forget(key);
  if (valueBytes === undefined) {
    statements.delete.run(keyBytes);
    return undefined;
  }
  const version = versions.take();
  statements.put.run(keyBytes, valueBytes, version, expiresAt);
  return String(version);
}
