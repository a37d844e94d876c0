/** Requests to the table: each bounded in time, reads strongly consistent and repeated while DynamoDB throttles. */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactGetItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { isStorageError, StorageError } from '@postern/ports';
import { failureOf, isTooLarge, unavailable } from './failure.js';
import type { Item } from './items.js';
import type { ItemKey } from './keys.js';
import type { Settings } from './options.js';
import { MIN_REQUEST_MS, Patience } from './patience.js';

/** What is cut off a time in whole seconds, on average. Milliseconds. */
const HALF_A_SECOND = 500;
/** What `BatchWriteItem` takes. */
const MAX_BATCH_WRITE = 25;

export interface Page {
  readonly items: readonly Item[];
  /** Where the next page goes on; undefined after the last. */
  readonly last: Item | undefined;
}

export type QueryInput = Omit<QueryCommandInput, 'TableName' | 'ConsistentRead'>;

export class Calls {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly #ownsClient: boolean;
  readonly #requestTimeoutMs: number;
  readonly #timeoutMs: number;

  constructor({ client, table, ownsClient, requestTimeoutMs, timeoutMs }: Settings) {
    this.client = client;
    this.table = table;
    this.#ownsClient = ownsClient;
    this.#requestTimeoutMs = requestTimeoutMs;
    this.#timeoutMs = timeoutMs;
  }

  /** Closes the connections; those of a client of the caller's own stay open. */
  end(): void {
    if (this.#ownsClient) this.client.destroy();
  }

  /** @param since when the call began, by `performance.now()`. */
  patience(since = performance.now()): Patience {
    return new Patience(since + this.#timeoutMs);
  }

  /** Sends one request, and gives up when its time is over, or that of the call, or the caller's signal fires. */
  async once<T>(
    send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
    signal?: AbortSignal,
    patience = this.patience(),
  ): Promise<T> {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const timer = setTimeout(abort, Math.min(this.#requestTimeoutMs, Math.max(patience.leftMs, MIN_REQUEST_MS)));
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await send({ abortSignal: controller.signal });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** For what can be done twice without harm. @throws StorageError `unavailable`, `aborted`. */
  async repeat<T>(
    send: (options: { readonly abortSignal: AbortSignal }) => Promise<T>,
    signal: AbortSignal | undefined,
    patience = this.patience(),
  ): Promise<T> {
    for (;;) {
      try {
        return await this.once(send, signal, patience);
      } catch (error) {
        if (signal?.aborted === true) throw new StorageError('aborted', 'the call was aborted', { cause: error });
        if (failureOf(error) === 'refused' || !(await patience.again())) {
          throw unavailable('DynamoDB did not carry out the request', error);
        }
      }
    }
  }

  async get(key: ItemKey, signal?: AbortSignal): Promise<Item | undefined> {
    const command = () => new GetItemCommand({ TableName: this.table, Key: key, ConsistentRead: true });
    return (await this.repeat((options) => this.client.send(command(), options), signal)).Item;
  }

  /**
   * The time of DynamoDB's own clock, by the `Date` of an answer. That has whole seconds.
   *
   * @throws StorageError as `get`; `unavailable` where no answer says it.
   */
  async now(key: ItemKey, signal?: AbortSignal): Promise<number> {
    let date: unknown;
    const command = () => {
      const get = new GetItemCommand({ TableName: this.table, Key: key });
      get.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args);
          date = headersOf(result.response)['date'];
          return result;
        },
        { step: 'deserialize' },
      );
      return get;
    };
    await this.repeat((options) => this.client.send(command(), options), signal);
    const at = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    if (Number.isNaN(at)) throw new StorageError('unavailable', 'DynamoDB did not say the time');
    return at + HALF_A_SECOND;
  }

  async query(input: QueryInput, signal?: AbortSignal): Promise<Page> {
    const command = () => new QueryCommand({ ...input, TableName: this.table, ConsistentRead: true });
    const { Items = [], LastEvaluatedKey } = await this.repeat(
      (options) => this.client.send(command(), options),
      signal,
    );
    return { items: Items, last: LastEvaluatedKey };
  }

  /**
   * At most 100, each once, in any order, as of one moment.
   *
   * Beyond 4 MB DynamoDB reads nothing as of one moment: then each item is as of its own.
   */
  async snapshot(keys: readonly ItemKey[], signal?: AbortSignal): Promise<readonly Item[]> {
    const [first, second] = keys;
    if (first === undefined) return [];
    if (second === undefined) return present([await this.get(first, signal)]);
    const command = () =>
      new TransactGetItemsCommand({ TransactItems: keys.map((Key) => ({ Get: { TableName: this.table, Key } })) });
    try {
      const answer = await this.repeat((options) => this.client.send(command(), options), signal);
      return present((answer.Responses ?? []).map(({ Item }) => Item));
    } catch (error) {
      if (!isStorageError(error) || !isTooLarge(error.cause)) throw error;
      return this.getMany(keys, signal);
    }
  }

  /** At most 100, each once, in any order, each as of its own moment. DynamoDB leaves out what exceeds 16 MB or the throughput: asked again. */
  async getMany(keys: readonly ItemKey[], signal?: AbortSignal): Promise<readonly Item[]> {
    const patience = this.patience();
    const found: Item[] = [];
    let wanted: Item[] = [...keys];
    while (wanted.length > 0) {
      const asked = wanted;
      const command = () =>
        new BatchGetItemCommand({ RequestItems: { [this.table]: { Keys: [...asked], ConsistentRead: true } } });
      const answer = await this.repeat((options) => this.client.send(command(), options), signal, patience);
      for (const items of Object.values(answer.Responses ?? {})) found.push(...items);
      wanted = Object.values(answer.UnprocessedKeys ?? {}).flatMap(({ Keys }) => Keys ?? []);
      if (wanted.length === asked.length && !(await patience.again())) throw throttled();
    }
    return found;
  }

  async deleteMany(keys: readonly ItemKey[], signal?: AbortSignal): Promise<void> {
    const patience = this.patience();
    for (let wanted: Item[] = [...keys]; wanted.length > 0; ) {
      const batch = wanted.slice(0, MAX_BATCH_WRITE);
      const requests = batch.map((Key) => ({ DeleteRequest: { Key } }));
      const command = () => new BatchWriteItemCommand({ RequestItems: { [this.table]: requests } });
      const answer = await this.repeat((options) => this.client.send(command(), options), signal, patience);
      const left = Object.values(answer.UnprocessedItems ?? {})
        .flat()
        .flatMap(({ DeleteRequest }) => (DeleteRequest?.Key === undefined ? [] : [DeleteRequest.Key]));
      wanted = [...left, ...wanted.slice(MAX_BATCH_WRITE)];
      if (left.length === batch.length && !(await patience.again())) throw throttled();
    }
  }
}

/** @param response the SDK's, as its type does not tell. */
function headersOf(response: unknown): Readonly<Record<string, unknown>> {
  if (typeof response !== 'object' || response === null || !('headers' in response)) return {};
  return typeof response.headers === 'object' && response.headers !== null ? { ...response.headers } : {};
}

function present(items: readonly (Item | undefined)[]): readonly Item[] {
  return items.filter((item) => item !== undefined);
}

function throttled(): StorageError {
  return new StorageError('unavailable', 'the table answers no more requests now: raise its throughput');
}
