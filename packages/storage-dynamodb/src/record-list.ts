/** Pages of `list`: the shards of the records themselves, each read strongly consistently and in order, merged. */
import type { ListedRecord, ListPage, ListQuery } from '@postern/ports';
import { compareUtf8 } from '@postern/ports';
import type { Calls, QueryInput } from './calls.js';
import { recordOf, sortOf, textOf } from './items.js';
import { itemKey, recordPartition } from './keys.js';
import { mergeShards } from './merge.js';

export async function listRecords(
  calls: Calls,
  shards: number,
  { prefix, query }: { readonly prefix: string; readonly query: ListQuery },
  signal: AbortSignal | undefined,
): Promise<ListPage> {
  const { after, limit, values } = query;
  // DynamoDB refuses to start outside of what is asked for.
  const start = after === undefined || compareUtf8(after, prefix) < 0 ? undefined : after;
  if (start !== undefined && !start.startsWith(prefix)) return { items: [], next: undefined };
  const queries = Array.from({ length: shards }, (_, shard): QueryInput => {
    const partition = recordPartition(shard);
    return {
      ...underPrefix(partition, prefix),
      // An item need not stand there. A sort key is never empty: nothing does.
      ...(start === undefined || start === '' ? {} : { ExclusiveStartKey: itemKey(partition, Buffer.from(start)) }),
      ...(values === true ? {} : { ProjectionExpression: 's' }),
    };
  });
  const items: ListedRecord[] = [];
  for await (const item of mergeShards(calls, { queries, expected: limit + 1 }, signal)) {
    if (items.length === limit) return { items, next: items.at(-1)?.key };
    const key = textOf(sortOf(item));
    items.push(values === true ? { key, record: recordOf(item) } : { key });
  }
  return { items, next: undefined };
}

function underPrefix(partition: string, prefix: string): QueryInput {
  const p = { S: partition };
  return prefix === ''
    ? { KeyConditionExpression: 'p = :p', ExpressionAttributeValues: { ':p': p } }
    : {
        KeyConditionExpression: 'p = :p AND begins_with(s, :s)',
        ExpressionAttributeValues: { ':p': p, ':s': { B: Buffer.from(prefix) } },
      };
}
