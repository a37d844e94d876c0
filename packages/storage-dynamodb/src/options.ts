/** What a caller can set, checked once. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface DynamoStorageOptions {
  /** Name or ARN of the table. */
  readonly table: string;
  /** Default: that of the environment. */
  readonly region?: string | undefined;
  /** For VPC endpoints, DynamoDB Local and other services with its protocol. */
  readonly endpoint?: string | undefined;
  /** A client of your own, with its credentials, region and retries; `close` leaves it open. */
  readonly client?: DynamoDBClient | undefined;
  /** How long one request may take. Default 2,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** How long a call may take with all its attempts. Default 4,000; at most 300,000. */
  readonly timeoutMs?: number | undefined;
}

export interface Settings {
  readonly table: string;
  readonly client: DynamoDBClient;
  readonly ownsClient: boolean;
  readonly requestTimeoutMs: number;
  readonly timeoutMs: number;
}

const TABLE_NAME = /^(?:arn:[a-z0-9-]+:dynamodb:[a-z0-9-]+:\d{12}:table\/)?[A-Za-z0-9_.-]{3,255}$/;
/** A connection that is not there by then carried nothing: the commit is certain not to have applied. */
const CONNECT_WITHIN_MS = 1_000;
/** A request that waits for a connection spends its time; a list asks all shards at once. */
const MAX_SOCKETS = 256;
/** Half of the 10 minutes for which DynamoDB remembers a client request token. */
const MAX_TIMEOUT_MS = 300_000;

/** Connects to nothing yet. @throws TypeError for invalid options. */
export function settingsOf(options: DynamoStorageOptions): Settings {
  const { table, region, endpoint, client, requestTimeoutMs = 2_000, timeoutMs = 4_000 } = options;
  if (!TABLE_NAME.test(table)) throw new TypeError('table: must be the name or the ARN of a DynamoDB table');
  checkWhole('requestTimeoutMs', requestTimeoutMs);
  checkWhole('timeoutMs', timeoutMs);
  if (client !== undefined && (region !== undefined || endpoint !== undefined)) {
    throw new TypeError('client: set either client or region and endpoint');
  }
  return {
    table,
    client:
      client ??
      new DynamoDBClient({
        ...(region === undefined ? {} : { region }),
        ...(endpoint === undefined ? {} : { endpoint }),
        // Retries are the adapter's own: it must know of every request that got no answer.
        maxAttempts: 1,
        requestHandler: {
          connectionTimeout: CONNECT_WITHIN_MS,
          httpAgent: { maxSockets: MAX_SOCKETS },
          httpsAgent: { maxSockets: MAX_SOCKETS },
        },
      }),
    ownsClient: client === undefined,
    requestTimeoutMs,
    timeoutMs,
  };
}

function checkWhole(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1 || value > MAX_TIMEOUT_MS) {
    throw new TypeError(`${name}: must be a whole number from 1 to ${MAX_TIMEOUT_MS}`);
  }
}
