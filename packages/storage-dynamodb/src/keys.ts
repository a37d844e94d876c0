/**
 * Where items stand in the table. `p`, the partition key, is the kind and the shard of an item; `s`, the sort key, gives the
 * order within it. Shards spread writes that would meet in one partition, and a list merges them.
 */
import { createHash } from 'node:crypto';
import type { EpochMillis, LogPosition } from '@postern/ports';

/** The primary key of an item. A type alias, so that it is an item of the SDK. */
export type ItemKey = { readonly p: { readonly S: string }; readonly s: { readonly B: Uint8Array } };

const MAX_SORT_BYTES = 1024;
const TIME_BYTES = 8;
const DIGEST_BYTES = 16;
/** Bytes of a record's key that fit into the sort key of its expiry. */
const WHOLE_KEY_BYTES = MAX_SORT_BYTES - TIME_BYTES;
/** Of a key that does not fit: these, then a digest of it. */
const CUT_KEY_BYTES = WHOLE_KEY_BYTES - DIGEST_BYTES;
/** Of sort keys of expiries that agree so far, the order is that of the whole keys. */
export const CUT_SORT_BYTES = TIME_BYTES + CUT_KEY_BYTES;
/** Makes instants before 1970 positive, so that their bytes are in order. */
const TIME_BIAS = 1n << 63n;

/** How the partitions of logs begin. */
export const LOG_PARTITIONS = 'l#';

/** Of a power of two of shards. */
export function shardOf(text: string | Uint8Array, shards: number): number {
  return (createHash('sha256').update(text).digest()[0] ?? 0) % shards;
}

export const recordPartition = (shard: number): string => `r#${twoDigits(shard)}`;
export const expiryPartition = (shard: number): string => `x#${twoDigits(shard)}`;
export const logPartition = (log: string, shard: number): string => `${LOG_PARTITIONS}${twoDigits(shard)}#${log}`;
/** @param partition one of `logPartition`. */
export const logOf = (partition: string): string => partition.slice(LOG_PARTITIONS.length + 3);

const twoDigits = (shard: number) => shard.toString(16).padStart(2, '0');

export function recordKey(key: string, shards: number): ItemKey {
  return itemKey(recordPartition(shardOf(key, shards)), Buffer.from(key));
}

export function entryKey(log: string, position: LogPosition, shards: number): ItemKey {
  return itemKey(logPartition(log, shardOf(position, shards)), Buffer.from(position));
}

/** A record's own shard, so that each shard is in order of expiry. */
export function expiryKey(key: string, expiresAt: EpochMillis, shards: number): ItemKey {
  const bytes = Buffer.from(key);
  const sort = fitsSortKey(key)
    ? Buffer.concat([timeBytes(expiresAt), bytes])
    : Buffer.concat([
        timeBytes(expiresAt),
        bytes.subarray(0, CUT_KEY_BYTES),
        createHash('sha256').update(bytes).digest().subarray(0, DIGEST_BYTES),
      ]);
  return itemKey(expiryPartition(shardOf(key, shards)), sort);
}

export function fitsSortKey(key: string): boolean {
  return Buffer.byteLength(key) <= WHOLE_KEY_BYTES;
}

/** Not after the expiry of this key at this instant, nor after any that is cut to the same bytes. */
export function expiryFrom(expiresAt: EpochMillis, key = ''): Uint8Array {
  return Buffer.concat([timeBytes(expiresAt), Buffer.from(key).subarray(0, CUT_KEY_BYTES)]);
}

/** What the sort key of an expiry holds; the key where it was not cut. */
export function readExpirySort(sort: Uint8Array): { readonly expiresAt: EpochMillis; readonly key: string } {
  const bytes = Buffer.from(sort);
  return {
    expiresAt: Number(bytes.readBigUInt64BE(0) - TIME_BIAS),
    key: bytes.subarray(TIME_BYTES).toString('utf8'),
  };
}

function timeBytes(instant: EpochMillis): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES);
  bytes.writeBigUInt64BE(BigInt(instant) + TIME_BIAS);
  return bytes;
}

export function itemKey(partition: string, sort: Uint8Array): ItemKey {
  return { p: { S: partition }, s: { B: sort } };
}
