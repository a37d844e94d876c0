/**
 * A list that stays sorted: the index behind `list` and `listExpired`.
 *
 * Sorted chunks of bounded length: a search is two binary searches, an insertion moves at most one chunk. Nothing is
 * ever sorted as a whole, so that a page costs its own length however many records there are.
 */

const MAX_CHUNK = 512;

/** Says on which side of a place an item is: true for all items before it, false for all from it on. */
export type IsBefore<T> = (item: T) => boolean;

/** Items in the order of `compare`, each at most once. */
export class SortedList<T extends string | object> {
  readonly #compare: (left: T, right: T) => number;
  readonly #chunks: T[][] = [];

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  /** Adds an item; one that is already there stays as it is. */
  add(item: T): void {
    const place = this.#find((other) => this.#compare(other, item) < 0);
    const found = place.chunk?.[place.index];
    if (found !== undefined && this.#compare(found, item) === 0) return;
    // Past the last chunk: the item is the greatest, and joins the last chunk rather than a new one.
    const position = place.chunk === undefined ? Math.max(this.#chunks.length - 1, 0) : place.position;
    const chunk = this.#chunks[position];
    if (chunk === undefined) {
      this.#chunks.push([item]);
      return;
    }
    chunk.splice(place.chunk === undefined ? chunk.length : place.index, 0, item);
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(position + 1, 0, chunk.splice(MAX_CHUNK >>> 1));
  }

  /** Removes the item equal to this one, if there is one. */
  delete(item: T): void {
    const { chunk, position, index } = this.#find((other) => this.#compare(other, item) < 0);
    const found = chunk?.[index];
    if (chunk === undefined || found === undefined || this.#compare(found, item) !== 0) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(position, 1);
  }

  /** Items from a place on, in order. The list must not change while they are taken. */
  *from(isBefore: IsBefore<T>): Generator<T, void, void> {
    const start = this.#find(isBefore);
    let index = start.index;
    for (let position = start.position; position < this.#chunks.length; position += 1) {
      const chunk = this.#chunks[position] ?? [];
      for (; index < chunk.length; index += 1) {
        const item = chunk[index];
        if (item !== undefined) yield item;
      }
      index = 0;
    }
  }

  #find(isBefore: IsBefore<T>): { chunk: T[] | undefined; position: number; index: number } {
    const position = firstNotBefore(this.#chunks, (chunk) => {
      const last = chunk.at(-1);
      return last !== undefined && isBefore(last);
    });
    const chunk = this.#chunks[position];
    return { chunk, position, index: chunk === undefined ? 0 : firstNotBefore(chunk, isBefore) };
  }
}

function firstNotBefore<T>(items: readonly T[], isBefore: IsBefore<T>): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
