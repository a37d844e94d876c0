/**
 * Pages of `listExpired`. Each put with an expiry writes an entry of the index in its transaction; a later put or a deletion
 * leaves it where it is, for it does not know it. So each is judged by the record itself, and removed where it is stale.
 */
import { DeleteItemCommand, TransactGetItemsCommand } from '@aws-sdk/client-dynamodb';
import { compareExpired, type ExpiredPage, type ExpiredPosition, type StoredRecord } from '@postern/ports';
import type { Calls, QueryInput } from './calls.js';
import { type Expiry, expiryOf, type Item, recordOf } from './items.js';
import { CUT_SORT_BYTES, expiryFrom, expiryKey, expiryPartition, recordKey } from './keys.js';
import { mergeShards } from './merge.js';

/** Records read at once. */
const MAX_CHUNK = 100;
/** `TransactGetItems` reads 100 items: an entry and its record are two. */
const MAX_STALE = 50;

export interface ExpiredQuery {
  readonly prefix: string;
  readonly before: number;
  readonly after?: ExpiredPosition | undefined;
  readonly limit: number;
}

export async function listExpired(
  calls: Calls,
  shards: number,
  query: ExpiredQuery,
  signal: AbortSignal | undefined,
): Promise<ExpiredPage> {
  const { before, after, limit } = query;
  if (after !== undefined && after.expiresAt >= before) return { items: [], next: undefined };
  const expiries = expiriesOf(calls, shards, query, signal);
  const found: StoredRecord[] = [];
  const stale: Expiry[] = [];
  // One more than asked for tells whether a page follows.
  for (let isEnd = false; !isEnd && found.length <= limit; ) {
    const chunk = await take(expiries, Math.min(MAX_CHUNK, limit + 1 - found.length));
    isEnd = chunk.length === 0;
    const records = await recordsOf(calls, shards, chunk, signal);
    for (const expiry of chunk) {
      const record = records.get(expiry.key);
      if (record?.expiresAt === expiry.expiresAt) found.push(record);
      else stale.push(expiry);
    }
  }
  await expiries.return();
  await removeStale(calls, shards, stale);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > limit && last?.expiresAt !== undefined;
  return { items, next: more ? { expiresAt: last.expiresAt, key: last.key } : undefined };
}

/** Entries of the index under the prefix, by instant and then by key. */
async function* expiriesOf(
  calls: Calls,
  shards: number,
  { prefix, before, after, limit }: ExpiredQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<Expiry, void, void> {
  const from = after === undefined ? Buffer.alloc(8) : expiryFrom(after.expiresAt, after.key);
  const queries = Array.from({ length: shards }, (_, shard): QueryInput => {
    return {
      // No entry is as short as `:before`: BETWEEN, which includes its end, finds none there.
      KeyConditionExpression: 'p = :p AND s BETWEEN :from AND :before',
      ExpressionAttributeValues: {
        ':p': { S: expiryPartition(shard) },
        ':from': { B: from },
        ':before': { B: expiryFrom(before) },
      },
    };
  });
  const isWanted = (expiry: Expiry) =>
    expiry.key.startsWith(prefix) && (after === undefined || compareExpired(expiry, after) > 0);
  let run: Expiry[] = [];
  for await (const item of mergeShards(calls, { queries, expected: limit + 1 }, signal)) {
    const expiry = expiryOf(item);
    const isOfRun = run[0] !== undefined && isCutAlike(run[0], expiry);
    if (!isOfRun) {
      yield* run.filter(isWanted);
      run = [];
    }
    run.push(expiry);
    if (isOfRun) run.sort(compareExpired);
  }
  yield* run.filter(isWanted);
}

/** Whether the index does not tell their order, because it holds only the beginning of both keys. */
function isCutAlike(left: Expiry, right: Expiry): boolean {
  const [a, b] = [left.sort.subarray(0, CUT_SORT_BYTES), right.sort.subarray(0, CUT_SORT_BYTES)];
  return a.length === CUT_SORT_BYTES && Buffer.compare(a, b) === 0;
}

async function take<T>(items: AsyncGenerator<T, void, void>, count: number): Promise<readonly T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { value, done } = await items.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

async function recordsOf(
  calls: Calls,
  shards: number,
  expiries: readonly Expiry[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, StoredRecord>> {
  const keys = [...new Set(expiries.map(({ key }) => key))].map((key) => recordKey(key, shards));
  const items = await calls.getMany(keys, signal);
  return new Map(items.map(recordOf).map((record) => [record.key, record]));
}

/**
 * A commit under way may have written its entry and not yet its record: only a transaction that reads both tells that an
 * entry is stale, and then it stays so until a put writes it anew, with another version. What fails is left for the next call.
 */
async function removeStale(calls: Calls, shards: number, stale: readonly Expiry[]): Promise<void> {
  for (let start = 0; start < stale.length; start += MAX_STALE) {
    const part = stale.slice(start, start + MAX_STALE);
    await Promise.allSettled((await provenStale(calls, shards, part)).map((expiry) => remove(calls, shards, expiry)));
  }
}

async function provenStale(calls: Calls, shards: number, suspects: readonly Expiry[]): Promise<readonly Expiry[]> {
  const entries = suspects.map(({ key, expiresAt }) => expiryKey(key, expiresAt, shards));
  // A transaction names no item twice: of a record that was renewed often there are several entries.
  const keys = [...new Set(suspects.map(({ key }) => key))];
  const gets = [...entries, ...keys.map((key) => recordKey(key, shards))];
  const TransactItems = gets.map((Key) => ({ Get: { TableName: calls.table, Key } }));
  try {
    const command = new TransactGetItemsCommand({ TransactItems });
    const answer = await calls.once((options) => calls.client.send(command, options));
    const items: readonly (Item | undefined)[] = (answer.Responses ?? []).map(({ Item }) => Item);
    if (items.length !== gets.length) return [];
    return suspects.filter(({ key, expiresAt, version }, at) => {
      const record = items[entries.length + keys.indexOf(key)];
      return items[at]?.['n']?.S === version && record?.['x']?.N !== String(expiresAt);
    });
  } catch {
    return [];
  }
}

async function remove(calls: Calls, shards: number, { key, expiresAt, version }: Expiry): Promise<void> {
  const command = new DeleteItemCommand({
    TableName: calls.table,
    Key: expiryKey(key, expiresAt, shards),
    ConditionExpression: 'n = :n',
    ExpressionAttributeValues: { ':n': { S: version } },
  });
  await calls.once((options) => calls.client.send(command, options));
}
