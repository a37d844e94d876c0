/** Repeatable chance (mulberry32): a failure that a seed found is found again. Never for secrets. */

export interface SeededRandom {
  /** A number from 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `bound`. */
  below(bound: number): number;
  /** One of the items. @throws RangeError when there are none. */
  pick<T>(items: readonly T[]): T;
}

/** Creates a generator; the same seed gives the same numbers on every platform. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  const pick = <T>(items: readonly T[]): T => {
    const [chosen] = items.slice(below(items.length));
    if (chosen === undefined) throw new RangeError('nothing to pick from');
    return chosen;
  };
  return { next, below, pick };
}
