import { expect, it } from 'vitest';
import { createSeededRandom } from './seeded-random.js';

it('repeats for a seed, differs between seeds, and stays in its range', () => {
  const draw = (seed: number) => {
    const random = createSeededRandom(seed);
    return Array.from({ length: 1_000 }, () => random.next());
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  expect(draw(3).every((value) => value >= 0 && value < 1)).toBe(true);
  expect(Math.abs(draw(4).reduce((sum, value) => sum + value, 0) / 1_000 - 0.5)).toBeLessThan(0.05);
});

it('picks every item, and none from nothing', () => {
  const random = createSeededRandom(5);
  expect(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c'])))).toEqual(new Set(['a', 'b', 'c']));
  expect(new Set(Array.from({ length: 100 }, () => random.below(3)))).toEqual(new Set([0, 1, 2]));
  expect(() => random.pick([])).toThrow(RangeError);
});
