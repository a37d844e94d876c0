/** A commit as the parameters of the database's function (schema.ts), and its answer as that of the port. */
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
  /** Keys of the operations on records, in the order in which the function locks them. */
  readonly recordKeys: readonly string[];
  readonly values: readonly unknown[];
}

/**
 * Encodes validated operations. Records go in the order of their keys' bytes, which is what keeps commits from waiting for
 * each other in a circle.
 */
export function encodeCommit(all: readonly Operation[]): CommitCall {
  const appended = all.filter((operation): operation is AppendOperation => operation.type === 'append');
  const records = all
    .filter((operation): operation is RecordOperation => operation.type !== 'append')
    .map((operation) => ({ operation, key: textToBytes(operation.key) }))
    .sort((left, right) => Buffer.compare(left.key, right.key));
  const operations = records.map(({ operation }) => operation);
  return {
    keys: all.map((operation) => (operation.type === 'append' ? undefined : operation.key)),
    recordKeys: operations.map(({ key }) => key),
    values: [
      operations.map(({ type }) => type),
      records.map(({ key }) => key),
      operations.map((operation) => conditionOf(operation.if)),
      operations.map((operation) => (operation.type === 'put' ? textToBytes(operation.value) : null)),
      operations.map((operation) => (operation.type === 'put' ? (operation.expiresAt ?? null) : null)),
      appended.map(({ log }) => textToBytes(log)),
      appended.map(({ value }) => textToBytes(value)),
    ],
  };
}

/** The row of the function. */
export interface CommitRow {
  /** Places of the operations whose precondition failed, from 1. */
  readonly failed: readonly number[];
  readonly versions: readonly (string | null)[] | null;
  readonly positions: readonly (string | null)[] | null;
}

/** @throws StorageError `conflict`. */
export function decodeCommit({ keys, recordKeys }: CommitCall, row: CommitRow): CommitResult {
  const { failed, versions, positions } = row;
  if (failed.length > 0) {
    const refused = new Set(failed.map((place) => recordKeys[place - 1]));
    throw new StorageError('conflict', 'a precondition failed', {
      keys: keys.flatMap((key) => (key !== undefined && refused.has(key) ? [key] : [])),
    });
  }
  const given = new Map(recordKeys.map((key, place) => [key, versions?.[place] ?? undefined]));
  return {
    versions: keys.map((key) => (key === undefined ? undefined : given.get(key))),
    positions: (positions ?? []).flatMap((position) => position ?? []),
  };
}

function conditionOf(condition: Precondition): string {
  if (typeof condition === 'string') return CONDITIONS[condition];
  const { version } = condition;
  return /^[1-9]\d{0,18}$/.test(version) && BigInt(version) <= MAX_VERSION ? version : NEVER;
}
