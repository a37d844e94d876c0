/**
 * DynamoDB Local, which can be frozen. It is never killed: it would forget its client request tokens, which DynamoDB remembers
 * for ten minutes whatever happens to one of its machines.
 */
import { createDynamoTable, openDynamoDump } from '@postern/storage-dynamodb';
import { clientOf, startDynamoLocal } from '../dynamodb/dynamodb-local.js';
import type { ChaosStorage } from './chaos-storage.js';
import { SHORT_MS } from './faults.js';

const TABLE = 'postern';
/** A list asks each, and DynamoDB Local is slow. */
const SHARDS = 2;

export async function dynamodbUnderChaos(): Promise<ChaosStorage> {
  const local = await startDynamoLocal();
  const client = clientOf(local.endpoint);
  try {
    await createDynamoTable({ table: TABLE, client, shards: SHARDS });
  } catch (error) {
    await local.stop();
    throw error;
  }
  return {
    port: local.port,
    environment: { AWS_ACCESS_KEY_ID: 'postern', AWS_SECRET_ACCESS_KEY: 'local' },
    configOf: (port) => ({
      dynamodb: { table: TABLE, region: 'eu-west-1', endpoint: `http://127.0.0.1:${port}` },
    }),
    async waitingEvents() {
      const events: string[] = [];
      const dump = await openDynamoDump({ table: TABLE, client });
      for await (const item of dump.items) if (item.kind === 'entry') events.push(item.value);
      await dump.close();
      return events;
    },
    faults: [
      {
        name: 'DynamoDB frozen',
        lastsMs: SHORT_MS,
        async begin() {
          local.freeze();
          return async () => local.thaw();
        },
      },
      {
        name: 'all links cut',
        lastsMs: SHORT_MS,
        async begin({ links }) {
          for (const each of links) each.set('cut');
          return async () => {
            for (const each of links) each.set('open');
          };
        },
      },
    ],
    async remove() {
      client.destroy();
      await local.stop();
    },
  };
}
