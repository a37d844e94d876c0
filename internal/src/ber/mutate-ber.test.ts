import { describe, expect, it } from 'vitest';
import { childrenOf, readBer, writeBer } from './ber-tree.js';
import { createDice } from './dice.js';
import { mutateBer } from './mutate-ber.js';
import { mutateBytes } from './mutate-bytes.js';

const value = Uint8Array.of(0x30, 0x80, 0x24, 0x80, 4, 2, 0xaa, 0xbb, 0, 0, 0x31, 3, 2, 1, 7, 0, 0);
const mutants = (seed: number, count: number) => {
  const dice = createDice(seed);
  return Array.from({ length: count }, () => mutateBer(value, dice));
};

describe('dice', () => {
  it('repeat with their seed and fall on every side', () => {
    const throws = (seed: number) => {
      const dice = createDice(seed);
      return Array.from({ length: 200 }, () => dice.roll(6));
    };
    expect(throws(1)).toEqual(throws(1));
    expect(throws(1)).not.toEqual(throws(2));
    expect(new Set(throws(1))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(() => createDice(1).pick([])).toThrow(RangeError);
  });
});

describe('mutants', () => {
  it('repeat with their seed and leave the original alone', () => {
    const before = value.slice();
    expect(mutants(7, 100)).toEqual(mutants(7, 100));
    expect(value).toEqual(before);
  });

  it('are of many kinds, some of them only another spelling', () => {
    const der = writeBer(readBer(value), 'der');
    const made = mutants(3, 2000);
    expect(new Set(made.map((mutant) => mutant.join())).size).toBeGreaterThan(500);
    const meaning = (mutant: Uint8Array) => {
      try {
        return childrenOf(readBer(mutant)).length === 2 && writeBer(readBer(mutant), 'der').join() === der.join();
      } catch {
        return false;
      }
    };
    const sameMeaning = made.filter(meaning).length;
    expect(sameMeaning).toBeGreaterThan(200);
    expect(sameMeaning).toBeLessThan(1800);
  });

  it('can be made of nothing', () => {
    expect(mutateBytes(new Uint8Array(0), createDice(1)).length).toBeLessThan(8);
  });
});
