/**
 * Logs (STORE-6). The entries of a log are spread over the shards, for one node appends as many as it commits.
 *
 * Positions come from the clock of the process. Before its first entry of a log a handle reads the last one, and stays after
 * it whatever its clock says. Handles that append to one log at the same time are in the order of their clocks.
 */
import type { LogEntry, LogPosition } from '@postern/ports';
import type { Calls, QueryInput } from './calls.js';
import { entryOf } from './items.js';
import { entryKey, logPartition } from './keys.js';
import { isPosition, PositionGenerator } from './log-positions.js';
import { mergeShards } from './merge.js';

/** Logs whose last entry is remembered as read; more are read again. */
const MAX_KNOWN = 1_000;

export class Logs {
  readonly #calls: Calls;
  readonly #shards: number;
  readonly #positions = new PositionGenerator();
  readonly #followed = new Map<string, Promise<void>>();

  constructor(calls: Calls, shards: number) {
    this.#calls = calls;
    this.#shards = shards;
  }

  readonly nextPosition = (): LogPosition => this.#positions.next();

  /** @returns undefined where nothing must be read before an append to these logs. */
  follow(logs: readonly string[]): Promise<unknown> | undefined {
    const unread = logs.filter((log) => this.#followed.get(log) !== FOLLOWED);
    if (unread.length === 0) return undefined;
    return Promise.all(unread.map((log) => this.#followed.get(log) ?? this.#follow(log)));
  }

  async read(log: string, limit: number, signal: AbortSignal | undefined): Promise<readonly LogEntry[]> {
    const entries: LogEntry[] = [];
    const merged = mergeShards(this.#calls, { queries: this.#queries(log), expected: limit }, signal);
    for await (const item of merged) {
      entries.push(entryOf(item));
      if (entries.length === limit) break;
    }
    return entries;
  }

  async remove(log: string, positions: readonly LogPosition[], signal: AbortSignal | undefined): Promise<void> {
    // Another adapter's position names no entry. A batch refuses one that is named twice.
    const own = [...new Set(positions)].filter(isPosition);
    if (own.length === 0) return;
    await this.#calls.deleteMany(
      own.map((position) => entryKey(log, position, this.#shards)),
      signal,
    );
  }

  #follow(log: string): Promise<void> {
    const reading = this.#readLast(log).then(
      () => {
        this.#followed.set(log, FOLLOWED);
      },
      (error: unknown) => {
        this.#followed.delete(log);
        throw error;
      },
    );
    if (this.#followed.size >= MAX_KNOWN) this.#followed.clear();
    this.#followed.set(log, reading);
    return reading;
  }

  async #readLast(log: string): Promise<void> {
    const queries = this.#queries(log).map((query) => ({ ...query, ScanIndexForward: false, Limit: 1 }));
    for (const { items } of await Promise.all(queries.map((query) => this.#calls.query(query)))) {
      for (const item of items) this.#positions.follow(entryOf(item).position);
    }
  }

  #queries(log: string): readonly QueryInput[] {
    return Array.from({ length: this.#shards }, (_, shard) => ({
      KeyConditionExpression: 'p = :p',
      ExpressionAttributeValues: { ':p': { S: logPartition(log, shard) } },
    }));
  }
}

const FOLLOWED = Promise.resolve();
