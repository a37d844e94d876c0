/** One ordered sequence out of the ordered shards of it. */
import type { Calls, QueryInput } from './calls.js';
import { type Item, sortOf } from './items.js';

export interface ShardedQuery {
  /** One for each shard. */
  readonly queries: readonly QueryInput[];
  /** How many items will probably be taken. */
  readonly expected: number;
}

/** By sort key. Pages of each shard are asked for when they are needed; the first ones all at once. */
export async function* mergeShards(
  calls: Calls,
  { queries, expected }: ShardedQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, void> {
  // Hashes spread evenly, never exactly: a fifth more saves most second pages.
  const limit = Math.ceil((expected / queries.length) * 1.2) + 1;
  const cursors = queries.map((query) => new Cursor(calls, { ...query, Limit: limit }, signal));
  await Promise.all(cursors.map((cursor) => cursor.fill()));
  for (;;) {
    let first: Cursor | undefined;
    let least: Uint8Array | undefined;
    for (const cursor of cursors) {
      const sort = cursor.sort;
      if (sort === undefined) continue;
      if (least !== undefined && Buffer.compare(sort, least) >= 0) continue;
      least = sort;
      first = cursor;
    }
    const item = first?.take();
    if (first === undefined || item === undefined) return;
    yield item;
    await first.fill();
  }
}

class Cursor {
  readonly #calls: Calls;
  readonly #query: QueryInput;
  readonly #signal: AbortSignal | undefined;
  #items: readonly Item[] = [];
  #at = 0;
  #next: Item | undefined;
  #isDone = false;

  constructor(calls: Calls, query: QueryInput, signal: AbortSignal | undefined) {
    this.#calls = calls;
    this.#query = query;
    this.#signal = signal;
  }

  /** Of the item that stands next; undefined at the end. */
  get sort(): Uint8Array | undefined {
    const item = this.#items[this.#at];
    return item === undefined ? undefined : sortOf(item);
  }

  take(): Item | undefined {
    const item = this.#items[this.#at];
    this.#at += 1;
    return item;
  }

  /** A page can be empty and not the last. */
  async fill(): Promise<void> {
    while (this.#at >= this.#items.length && !this.#isDone) {
      const query = this.#next === undefined ? this.#query : { ...this.#query, ExclusiveStartKey: this.#next };
      const { items, last } = await this.#calls.query(query, this.#signal);
      this.#items = items;
      this.#at = 0;
      this.#next = last;
      this.#isDone = last === undefined;
    }
  }
}
