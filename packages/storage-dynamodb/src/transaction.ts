/** A commit as one transaction of DynamoDB: an item for each record and entry, and one for each expiry. */
import { randomBytes } from 'node:crypto';
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import {
  type CommitResult,
  type LogPosition,
  type Operation,
  type Precondition,
  type RecordOperation,
  StorageError,
  type Version,
} from '@postern/ports';
import { entryKey, expiryKey, fitsSortKey, recordKey } from './keys.js';

export interface Transaction {
  /** Client request token: DynamoDB carries it out once within 10 minutes, however often it is sent. */
  readonly token: string;
  readonly items: readonly TransactWriteItem[];
  /** What stands behind the item at the same place; undefined where it has no condition. */
  readonly conditions: readonly (RecordOperation | undefined)[];
  /** More than all items have. */
  readonly bytes: number;
}

/** Of one commit. */
export interface CommitTransaction extends Transaction {
  readonly result: CommitResult;
}

/** Of all items of a transaction together. */
export const MAX_BYTES = 4 * 1024 * 1024;
/** More than names, numbers and the partition of an item take. */
const OVERHEAD_BYTES = 128;

/**
 * @param position gives the place of the next entry.
 * @throws StorageError `limit` for more than a transaction may hold.
 */
export function transactionOf(
  operations: readonly Operation[],
  where: { readonly table: string; readonly shards: number },
  position: () => LogPosition,
): CommitTransaction {
  const bytes = sizeOf(operations);
  // Random, for any number of nodes give versions without asking each other, and a record that was deleted leaves nothing
  // behind to count on from: 128 bits are not given twice. One for the whole commit, and its token.
  const version = newToken();
  const items: TransactWriteItem[] = [];
  const conditions: (RecordOperation | undefined)[] = [];
  const versions: (Version | undefined)[] = [];
  const positions: LogPosition[] = [];
  const add = (item: TransactWriteItem, operation?: RecordOperation) => {
    items.push(item);
    conditions.push(operation);
  };
  for (const operation of operations) {
    versions.push(operation.type === 'put' ? version : undefined);
    if (operation.type === 'append') {
      const at = position();
      positions.push(at);
      const key = entryKey(operation.log, at, where.shards);
      add({ Put: { TableName: where.table, Item: { ...key, v: { S: operation.value } } } });
    } else {
      addRecord(operation, version, where, add);
    }
  }
  return { token: version, items, conditions, bytes, result: { versions, positions } };
}

function newToken(): string {
  return randomBytes(16).toString('base64url');
}

/** Several in one, under a token of its own. A check that more than one of them makes is made once. */
export function merge(transactions: readonly Transaction[]): Transaction {
  const items: TransactWriteItem[] = [];
  const conditions: (RecordOperation | undefined)[] = [];
  const checked = new Set<string>();
  let bytes = 0;
  for (const transaction of transactions) {
    bytes += transaction.bytes;
    for (const [at, item] of transaction.items.entries()) {
      const operation = transaction.conditions[at];
      if (operation?.type === 'check') {
        if (checked.has(operation.key)) continue;
        checked.add(operation.key);
      }
      items.push(item);
      conditions.push(operation);
    }
  }
  return { token: newToken(), items, conditions, bytes };
}

function addRecord(
  operation: RecordOperation,
  version: Version,
  { table, shards }: { readonly table: string; readonly shards: number },
  add: (item: TransactWriteItem, operation?: RecordOperation) => void,
): void {
  const { type, key } = operation;
  const condition = conditionOf(operation.if);
  const at = recordKey(key, shards);
  if (type === 'check') {
    // `any` always holds.
    if (condition !== undefined) add({ ConditionCheck: { TableName: table, Key: at, ...condition } }, operation);
    return;
  }
  if (type === 'delete') {
    add({ Delete: { TableName: table, Key: at, ...condition } }, operation);
    return;
  }
  const { value, expiresAt } = operation;
  const n = { S: version };
  const x = expiresAt === undefined ? {} : { x: { N: String(expiresAt) } };
  add({ Put: { TableName: table, Item: { ...at, v: { S: value }, n, ...x }, ...condition } }, operation);
  if (expiresAt === undefined) return;
  const k = fitsSortKey(key) ? {} : { k: { B: Buffer.from(key) } };
  add({ Put: { TableName: table, Item: { ...expiryKey(key, expiresAt, shards), n, ...k } } });
}

interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: { readonly ':n': { readonly S: string } };
}

function conditionOf(precondition: Precondition): Condition | undefined {
  switch (precondition) {
    case 'any':
      return undefined;
    case 'absent':
      return { ConditionExpression: 'attribute_not_exists(p)' };
    case 'present':
      return { ConditionExpression: 'attribute_exists(p)' };
    default:
      return { ConditionExpression: 'n = :n', ExpressionAttributeValues: { ':n': { S: precondition.version } } };
  }
}

function sizeOf(operations: readonly Operation[]): number {
  let bytes = 0;
  for (const operation of operations) {
    bytes += OVERHEAD_BYTES + 2 * Buffer.byteLength(operation.type === 'append' ? operation.log : operation.key);
    if (operation.type === 'put' || operation.type === 'append') bytes += Buffer.byteLength(operation.value);
  }
  if (bytes > MAX_BYTES) {
    throw new StorageError(
      'limit',
      `a commit exceeds the ${MAX_BYTES} bytes of a DynamoDB transaction: commit it in parts`,
    );
  }
  return bytes;
}
