/** The whole storage contract, with its concurrency, two handles, unknown outcomes and cancellation, on DynamoDB Local. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoTable, openDynamoStorage } from '@postern/storage-dynamodb';
import { storageContract } from '@postern/testkit';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { contractStorages } from '../contract-storages.js';
import { clientOf, type DynamoLocal, startDynamoLocal } from './dynamodb-local.js';

let local: DynamoLocal;
let client: DynamoDBClient;

beforeAll(async () => {
  local = await startDynamoLocal();
  client = clientOf(local.endpoint);
});
afterAll(async () => {
  client.destroy();
  await local.stop();
});

describe('DynamoDB storage keeps the storage contract', () => {
  const storages = contractStorages(
    (table) => openDynamoStorage({ table, client }),
    (table) => createDynamoTable({ table, client, shards: 2 }),
  );
  it.each(storageContract({ durable: true, ...storages }))('$name', ({ run }) => run());
});
