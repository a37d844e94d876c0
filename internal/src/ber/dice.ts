/** Cheap numbers that repeat with their seed, for millions of throws in a fuzz run (mulberry32). For tests only. */

export interface Dice {
  /** An integer from 0 up to, not including, `sides`. */
  roll(sides: number): number;
  /** One of the items; there must be one. */
  pick<T>(items: readonly T[]): T;
  bytes(length: number): Uint8Array;
}

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const roll = (sides: number): number => Math.floor(next() * sides);
  return {
    roll,
    pick(items) {
      const [first] = items;
      if (first === undefined) throw new RangeError('nothing to pick from');
      return items[roll(items.length)] ?? first;
    },
    bytes: (length) => Uint8Array.from({ length }, () => roll(256)),
  };
}
