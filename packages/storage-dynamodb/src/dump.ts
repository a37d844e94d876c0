/** Everything that a table holds, for a copy into another storage (STORE-10). */
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import type { StorageSnapshot, StoredItem } from '@postern/ports';
import { Calls } from './calls.js';
import { entryOf, type Item, recordOf } from './items.js';
import { LOG_PARTITIONS, logOf, logPartition, recordPartition } from './keys.js';
import { mergeShards } from './merge.js';
import { type DynamoStorageOptions, settingsOf } from './options.js';
import { openTable } from './table.js';

/** Items of all shards that are held at once, about. */
const HELD = 4_000;

/**
 * Opens a table to be read to its end. DynamoDB shows a client no moment of a whole table: this is a snapshot only while
 * nobody writes. It reads the table twice, for nothing names its logs but their entries.
 *
 * @throws DynamoOpenError as `openDynamoStorage`; items throw StorageError `unavailable`.
 */
export async function openDynamoDump(options: DynamoStorageOptions): Promise<StorageSnapshot> {
  const calls = new Calls(settingsOf(options));
  try {
    const shards = await openTable(calls);
    // Versions are random: none is beyond another.
    return { items: itemsOf(calls, shards), lastVersion: '0', close: async () => calls.end() };
  } catch (error) {
    calls.end();
    throw error;
  }
}

async function* itemsOf(calls: Calls, shards: number): AsyncGenerator<StoredItem> {
  for await (const item of partitions(calls, shards, recordPartition)) yield { kind: 'record', record: recordOf(item) };
  for (const log of [...(await logsOf(calls))].sort()) {
    for await (const item of partitions(calls, shards, (shard) => logPartition(log, shard))) {
      yield { kind: 'entry', log, value: entryOf(item).value };
    }
  }
}

function partitions(calls: Calls, shards: number, partitionOf: (shard: number) => string): AsyncGenerator<Item> {
  const queries = Array.from({ length: shards }, (_, shard) => ({
    KeyConditionExpression: 'p = :p',
    ExpressionAttributeValues: { ':p': { S: partitionOf(shard) } },
  }));
  return mergeShards(calls, { queries, expected: HELD }, undefined);
}

async function logsOf(calls: Calls): Promise<ReadonlySet<string>> {
  const logs = new Set<string>();
  let start: Item | undefined;
  do {
    const command = new ScanCommand({
      TableName: calls.table,
      ConsistentRead: true,
      Limit: HELD,
      ProjectionExpression: 'p',
      FilterExpression: 'begins_with(p, :l)',
      ExpressionAttributeValues: { ':l': { S: LOG_PARTITIONS } },
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    });
    const { Items = [], LastEvaluatedKey } = await calls.repeat(
      (request) => calls.client.send(command, request),
      undefined,
    );
    for (const { p } of Items) if (p?.S !== undefined) logs.add(logOf(p.S));
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return logs;
}
