/** The table: made, and opened. One item of it tells the format and the number of shards, which never change. */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { isStorageError } from '@postern/ports';
import { Calls } from './calls.js';
import { isThrottling, safeCause } from './failure.js';
import type { Item } from './items.js';
import { itemKey } from './keys.js';
import { DynamoOpenError, isDynamoOpenError } from './open-error.js';
import { type DynamoStorageOptions, settingsOf } from './options.js';

export interface DynamoTableOptions extends DynamoStorageOptions {
  /**
   * Partitions over which records are spread: a power of two, at most 256. Each carries 1,000 write units and 3,000 read
   * units a second; a list reads all of them. It can't be changed later. Default 16.
   */
  readonly shards?: number | undefined;
  /** Throughput a second that is paid whether it is used or not. Default: on demand. */
  readonly provisioned?: { readonly readUnits: number; readonly writeUnits: number } | undefined;
  /** Whether the table can be deleted only after this is taken back. Default true. */
  readonly deletionProtection?: boolean | undefined;
}

const FORMAT = 1;
const DEFAULT_SHARDS = 16;
/** An item that every table has. */
export const META = itemKey('postern', Buffer.from('meta'));

/**
 * Makes the table where it is missing, and waits until it can be used.
 *
 * @returns whether it was made now; false where a table of Postern's stood there.
 * @throws DynamoOpenError; TypeError for invalid options.
 */
export async function createDynamoTable(options: DynamoTableOptions): Promise<boolean> {
  const { shards = DEFAULT_SHARDS } = options;
  if (!isShards(shards)) throw new TypeError('shards: must be a power of two, at most 256');
  const calls = new Calls(settingsOf(options));
  try {
    const made = await create(calls, options);
    await waitUntilActive(calls);
    await shardsOf(calls, shards);
    return made;
  } catch (error) {
    throw openErrorOf(error, calls.table);
  } finally {
    calls.end();
  }
}

/** @returns the number of shards. @throws DynamoOpenError. */
export async function openTable(calls: Calls): Promise<number> {
  try {
    return await shardsOf(calls, DEFAULT_SHARDS);
  } catch (error) {
    throw openErrorOf(error, calls.table);
  }
}

async function create(calls: Calls, options: DynamoTableOptions): Promise<boolean> {
  const { provisioned, deletionProtection = true } = options;
  const input: CreateTableCommandInput = {
    TableName: calls.table,
    KeySchema: [
      { AttributeName: 'p', KeyType: 'HASH' },
      { AttributeName: 's', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'p', AttributeType: 'S' },
      { AttributeName: 's', AttributeType: 'B' },
    ],
    DeletionProtectionEnabled: deletionProtection,
    ...(provisioned === undefined
      ? { BillingMode: 'PAY_PER_REQUEST' }
      : {
          BillingMode: 'PROVISIONED',
          ProvisionedThroughput: {
            ReadCapacityUnits: provisioned.readUnits,
            WriteCapacityUnits: provisioned.writeUnits,
          },
        }),
  };
  try {
    await calls.repeat((request) => calls.client.send(new CreateTableCommand(input), request), undefined);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ResourceInUseException') return false;
    throw error;
  }
}

async function waitUntilActive(calls: Calls): Promise<void> {
  const patience = calls.patience();
  for (;;) {
    const command = new DescribeTableCommand({ TableName: calls.table });
    const { Table } = await calls.repeat((request) => calls.client.send(command, request), undefined, patience);
    if (Table?.TableStatus === 'ACTIVE' || Table?.TableStatus === 'UPDATING') return;
    if (!(await patience.again())) throw new DynamoOpenError('unreachable', 'it is still being made: try again');
  }
}

/** Those of the table; of a table that is not used yet, these from now on. */
async function shardsOf(calls: Calls, wanted: number): Promise<number> {
  const found = await calls.get(META);
  if (found !== undefined) return readMeta(found);
  const Item = { ...META, f: { N: String(FORMAT) }, shards: { N: String(wanted) } };
  const command = () =>
    new PutItemCommand({ TableName: calls.table, Item, ConditionExpression: 'attribute_not_exists(p)' });
  try {
    await calls.repeat((request) => calls.client.send(command(), request), undefined);
    return wanted;
  } catch (error) {
    // Another process was first, or the answer to an earlier attempt was lost.
    const first = codeOf(error) === 'ConditionalCheckFailedException' ? await calls.get(META) : undefined;
    if (first === undefined) throw error;
    return readMeta(first);
  }
}

function readMeta(item: Item): number {
  const [format, shards] = [Number(item['f']?.N), Number(item['shards']?.N)];
  if (format > FORMAT) {
    throw new DynamoOpenError(
      'newer_table',
      `its format ${format} is newer than ${FORMAT}: run that version of Postern`,
    );
  }
  if (format !== FORMAT || !isShards(shards)) {
    throw new DynamoOpenError('foreign_table', 'its first item is damaged: restore the table');
  }
  return shards;
}

function isShards(shards: number): boolean {
  return Number.isInteger(shards) && shards >= 1 && shards <= 256 && (shards & (shards - 1)) === 0;
}

const DENIED: ReadonlySet<unknown> = new Set([
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'TokenProviderError',
  'UnrecognizedClientException',
]);

function openErrorOf(error: unknown, table: string): DynamoOpenError {
  const subject = `cannot open the DynamoDB table ${table}`;
  if (isDynamoOpenError(error)) return new DynamoOpenError(error.code, `${subject}: ${error.message}`);
  const code = codeOf(error);
  const say = (kind: DynamoOpenError['code'], advice: string) =>
    new DynamoOpenError(kind, `${subject}: ${advice}`, isStorageError(error) ? error.cause : safeCause(error));
  if (code === 'ResourceNotFoundException') {
    return say('no_table', 'the table does not exist in this region: run postern storage create-table');
  }
  if (code === 'ValidationException') {
    return say('foreign_table', 'its key is not a text p and a binary s: name another table');
  }
  if (DENIED.has(code)) return say('denied', `${String(code)}: check the credentials and their policy`);
  const hasAnswered = String(code).endsWith('Exception') && !isThrottling(code);
  return say(
    hasAnswered ? 'unusable' : 'unreachable',
    `${String(code)}: check the region, the endpoint and the network`,
  );
}

function codeOf(error: unknown): unknown {
  const cause = isStorageError(error) ? error.cause : error;
  if (!(cause instanceof Error)) return '';
  return 'code' in cause ? cause.code : cause.name;
}
