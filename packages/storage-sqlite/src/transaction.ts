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
} from '@postern/ports';
import type { Connection } from './connection.js';
import { LogAppender, removeFromLog } from './log-rows.js';
import { faultOf, SQLITE_RESULT, sqliteResultOf } from './open-error.js';
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
 * @returns one outcome a commit, in order.
 * @throws StorageError `unavailable` when nothing of the group was applied, `outcome_unknown` when the flush itself
 * failed.
 */
export function commitGroup(
  connection: Connection,
  group: readonly (readonly EncodedOperation[])[],
): readonly CommitOutcome[] {
  let isFlushing = false;
  try {
    connection.database.exec('BEGIN IMMEDIATE');
    const appender = new LogAppender(connection);
    const outcomes = group.map((operations) => applyCommit(connection, appender, operations));
    appender.write();
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

function applyCommit(
  connection: Connection,
  appender: LogAppender,
  operations: readonly EncodedOperation[],
): CommitOutcome {
  const { statements } = connection;
  const failed: string[] = [];
  for (const operation of operations) {
    if (operation.type === 'append' || operation.type === 'remove' || operation.if === 'any') continue;
    const version = versionOf(statements.version.get(operation.keyBytes));
    if (!preconditionHolds(operation.if, version)) failed.push(operation.key);
  }
  if (failed.length > 0) return new StorageError('conflict', 'a precondition failed', { keys: failed });
  const positions: LogPosition[] = [];
  const versions = operations.map((operation) => {
    if (operation.type === 'append') positions.push(appender.append(operation.log, operation.valueBytes));
    else if (operation.type === 'remove') removeFromLog(connection, operation.log, operation.positions);
    else return applyOperation(connection, operation);
    return undefined;
  });
  return { versions, positions };
}

function applyOperation({ statements, versions }: Connection, operation: EncodedRecordOperation): string | undefined {
  const { type, keyBytes, valueBytes, expiresAt } = operation;
  if (valueBytes !== undefined) {
    const version = versions.take();
    statements.put.run(keyBytes, valueBytes, version, expiresAt);
    return String(version);
  }
  if (type === 'delete') statements.delete.run(keyBytes);
  return undefined;
}
