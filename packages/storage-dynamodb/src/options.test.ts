import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { openDynamoStorage } from './dynamo-storage.js';
import { isDynamoOpenError } from './open-error.js';
import { settingsOf } from './options.js';
import { createDynamoTable } from './table.js';

const client = new DynamoDBClient({ region: 'eu-west-1' });

describe('options', () => {
  it.each([
    [{ table: 'a b' }, 'table'],
    [{ table: '' }, 'table'],
    [{ table: 'postern', timeoutMs: 0 }, 'timeoutMs'],
    [{ table: 'postern', timeoutMs: 300_001 }, 'timeoutMs'],
    [{ table: 'postern', requestTimeoutMs: 1.5 }, 'requestTimeoutMs'],
    [{ table: 'postern', region: 'eu-west-1', client }, 'client'],
    [{ table: 'postern', endpoint: 'http://127.0.0.1:9', client }, 'client'],
  ])('%# are refused by the name of the option', (options, name) => {
    expect(() => settingsOf(options)).toThrow(new RegExp(`^${name}: `));
  });

  it('takes names and ARNs', () => {
    for (const table of ['postern', 'arn:aws:dynamodb:eu-west-1:123456789012:table/postern']) {
      expect(settingsOf({ table, client }).table).toBe(table);
    }
  });

  it.each([0, 3, 257, 512, 1.5])('%d shards are refused', async (shards) => {
    await expect(createDynamoTable({ table: 'postern', shards })).rejects.toThrow('shards: ');
  });
});

it('tells that DynamoDB is not reached, with what to check', async () => {
  const nobody = new DynamoDBClient({
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:9',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  const opening = openDynamoStorage({ table: 'postern', client: nobody, timeoutMs: 1_000 });
  const error: unknown = await opening.catch((reason: unknown) => reason);
  expect(isDynamoOpenError(error)).toBe(true);
  expect(error).toMatchObject({
    code: 'unreachable',
    message: expect.stringMatching(/^cannot open the DynamoDB table postern: ECONNREFUSED: check /),
  });
});
