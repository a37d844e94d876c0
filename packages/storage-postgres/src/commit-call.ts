/** A commit as the parameters of the database's function (schema.ts), and its answer as that of the port. */
import { createHash } from 'node:crypto';
import {
  type AppendOperation,
  type CommitResult,
  type Operation,
  type Precondition,
  type RecordOperation,
  StorageError,
} from '@postern/ports';
import { textToBytes } from './rows.js';

/** Conditions that are no version: versions begin at 1. */
const CONDITIONS = { any: '-3', absent: '-2', present: '-1' } as const;
/** A version that no record has, for text in another format. */
const NEVER = '0';
const MAX_VERSION = 2n ** 63n - 1n;

/** What is sent. A copy, so that a caller's later changes can't reach what was validated. */
export interface CommitCall {
  /** One an operation; undefined for an append. */
  readonly keys: readonly (string | undefined)[];
  /** Keys of the operations on records. */
  readonly recordKeys: readonly string[];
  /** Whether it appends: then it is a call of the other function. */
  readonly appends: boolean;
  readonly values: unknown[];
}

interface KeyLock {
  readonly number: bigint;
  readonly shared: boolean;
}

/** Encodes validated operations. */
export function encodeCommit(all: readonly Operation[]): CommitCall {
  const appended = all.filter((operation): operation is AppendOperation => operation.type === 'append');
  const operations = all.filter((operation): operation is RecordOperation => operation.type !== 'append');
  const locks = locksOf(operations);
  const values: unknown[] = [
    locks.map(({ number }) => String(number)),
    locks.map(({ shared }) => shared),
    operations.map(({ type }) => type),
    operations.map(({ key }) => textToBytes(key)),
    operations.map((operation) => conditionOf(operation.if)),
    operations.map((operation) => (operation.type === 'put' ? textToBytes(operation.value) : null)),
    operations.map((operation) => (operation.type === 'put' ? (operation.expiresAt ?? null) : null)),
  ];
  if (appended.length > 0) {
    values.push(
      appended.map(({ log }) => textToBytes(log)),
      appended.map(({ value }) => textToBytes(value)),
    );
  }
  return {
    keys: all.map((operation) => (operation.type === 'append' ? undefined : operation.key)),
    recordKeys: operations.map(({ key }) => key),
    appends: appended.length > 0,
    values,
  };
}

/** The row of the function. */
export interface CommitRow {
  /** Places of the operations whose precondition failed, from 1. */
  readonly failed: readonly number[];
  readonly versions: readonly (string | null)[] | null;
  /** Absent where nothing was appended. */
  readonly positions?: readonly (string | null)[] | null;
}

/** @throws StorageError `conflict`. */
export function decodeCommit({ keys, recordKeys }: CommitCall, row: CommitRow): CommitResult {
  const { failed, versions, positions } = row;
  if (failed.length > 0) {
    throw new StorageError('conflict', 'A precondition failed.', {
      keys: failed.flatMap((place) => recordKeys[place - 1] ?? []),
    });
  }
  let place = 0;
  return {
    versions: keys.map((key) => {
      if (key === undefined) return undefined;
      place += 1;
      return versions?.[place - 1] ?? undefined;
    }),
    positions: (positions ?? []).flatMap((position) => position ?? []),
  };
}

/**
 * In rising order, which is what keeps commits from waiting for each other in a circle. Two keys of one number share its
 * lock, and the stronger wish counts: a lock that is held shared and asked for again as exclusive would be such a circle.
 */
function locksOf(operations: readonly RecordOperation[]): readonly KeyLock[] {
  const locks = new Map<bigint, KeyLock>();
  for (const { key, type } of operations) {
    const number = lockNumber(key);
    locks.set(number, { number, shared: type === 'check' && locks.get(number)?.shared !== false });
  }
  return [...locks.values()].sort((a, b) => (a.number < b.number ? -1 : 1));
}

/** The same in every process and release that shares a database: it is part of the schema. */
export function lockNumber(key: string): bigint {
  return createHash('sha256').update(key, 'utf8').digest().readBigInt64BE(0);
}

function conditionOf(condition: Precondition): string {
  if (typeof condition === 'string') return CONDITIONS[condition];
  const { version } = condition;
  return /^[1-9]\d{0,18}$/.test(version) && BigInt(version) <= MAX_VERSION ? version : NEVER;
}
