/** A commit as the parameters of the database's function (schema.ts), and its answer as that of the port. */
import { createHash } from 'node:crypto';
import { type CommitResult, type Operation, type Precondition, StorageError } from '@postern/ports';
import { textToBytes } from './rows.js';

/** Conditions that are no version: versions begin at 1. */
const CONDITIONS = { any: '-3', absent: '-2', present: '-1' } as const;
/** A version that no record has, for text in another format. */
const NEVER = '0';
const MAX_VERSION = 2n ** 63n - 1n;

/** What is sent. A copy, so that a caller's later changes can't reach what was validated. */
export interface CommitCall {
  readonly keys: readonly string[];
  readonly values: unknown[];
}

interface KeyLock {
  readonly number: bigint;
  readonly shared: boolean;
}

/** Encodes validated operations. */
export function encodeCommit(operations: readonly Operation[]): CommitCall {
  const locks = locksOf(operations);
  return {
    keys: operations.map(({ key }) => key),
    values: [
      locks.map(({ number }) => String(number)),
      locks.map(({ shared }) => shared),
      operations.map(({ type }) => type),
      operations.map(({ key }) => textToBytes(key)),
      operations.map((operation) => conditionOf(operation.if)),
      operations.map((operation) => (operation.type === 'put' ? textToBytes(operation.value) : null)),
      operations.map((operation) => (operation.type === 'put' ? (operation.expiresAt ?? null) : null)),
    ],
  };
}

/** The row of the function. */
export interface CommitRow {
  /** Places of the operations whose precondition failed, from 1. */
  readonly failed: readonly number[];
  readonly versions: readonly (string | null)[] | null;
}

/** @throws StorageError `conflict`. */
export function decodeCommit({ keys }: CommitCall, { failed, versions }: CommitRow): CommitResult {
  if (failed.length > 0) {
    throw new StorageError('conflict', 'A precondition failed.', {
      keys: failed.flatMap((place) => keys[place - 1] ?? []),
    });
  }
  return { versions: keys.map((_, index) => versions?.[index] ?? undefined) };
}

/**
 * In rising order, which is what keeps commits from waiting for each other in a circle. Two keys of one number share its
 * lock, and the stronger wish counts: a lock that is held shared and asked for again as exclusive would be such a circle.
 */
function locksOf(operations: readonly Operation[]): readonly KeyLock[] {
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
