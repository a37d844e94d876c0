/** Items of the table as records and entries of the port. Attributes are named by one letter: their names are paid for. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { EpochMillis, LogEntry, StoredRecord, Version } from '@postern/ports';
import { readExpirySort } from './keys.js';

/** `v`: value. `n`: version. `x`: expiry. `k`: a key that is cut in the sort key. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** @throws Error for an item that this adapter did not write. */
export function recordOf(item: Item): StoredRecord {
  return {
    key: textOf(sortOf(item)),
    value: stringOf(item, 'v'),
    version: stringOf(item, 'n'),
    expiresAt: item['x']?.N === undefined ? undefined : Number(item['x'].N),
  };
}

export function entryOf(item: Item): LogEntry {
  return { position: textOf(sortOf(item)), value: stringOf(item, 'v') };
}

/** One entry of the index of expiries. It may have outlived what it says of the record. */
export interface Expiry {
  readonly expiresAt: EpochMillis;
  readonly key: string;
  /** Of the put that wrote it. */
  readonly version: Version;
  readonly sort: Uint8Array;
}

export function expiryOf(item: Item): Expiry {
  const sort = sortOf(item);
  const { expiresAt, key } = readExpirySort(sort);
  const whole = item['k']?.B;
  return { expiresAt, key: whole === undefined ? key : textOf(whole), version: stringOf(item, 'n'), sort };
}

export function sortOf(item: Item): Uint8Array {
  const sort = item['s']?.B;
  if (sort === undefined) throw new Error('an item of the table has no sort key');
  return sort;
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function stringOf(item: Item, name: string): string {
  const text = item[name]?.S;
  if (text === undefined) throw new Error(`an item of the table has no ${name}`);
  return text;
}
