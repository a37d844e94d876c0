/** Reads a stream of chunks by numbers of bytes, holding one chunk at a time. */

export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #ended = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Exactly `count` bytes; undefined where the stream ended before all of them. */
  async exactly(count: number): Promise<Uint8Array | undefined> {
    if (this.#chunk.length >= count && count > 0) return this.#cut(count);
    const bytes = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      const part = await this.upTo(count - filled);
      if (part === undefined) return undefined;
      bytes.set(part, filled);
      filled += part.length;
    }
    return bytes;
  }

  /** 1 to `most` bytes, as they come; undefined at the end. */
  async upTo(most: number): Promise<Uint8Array | undefined> {
    while (this.#chunk.length === 0) {
      if (this.#ended) return undefined;
      const next = await this.#source.next();
      if (next.done === true) this.#ended = true;
      else this.#chunk = next.value;
    }
    return this.#cut(Math.min(most, this.#chunk.length));
  }

  #cut(count: number): Uint8Array {
    const part = this.#chunk.subarray(0, count);
    this.#chunk = this.#chunk.subarray(count);
    return part;
  }
}
