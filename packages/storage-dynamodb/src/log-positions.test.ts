import { afterEach, expect, it, vi } from 'vitest';
import { isPosition, PositionGenerator } from './log-positions.js';

afterEach(() => vi.useRealTimers());

it('gives ever greater positions, also within a millisecond and when the clock is set back', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  const generator = new PositionGenerator();
  const given = [generator.next(), generator.next()];
  vi.setSystemTime(1_600_000_000_000);
  given.push(generator.next());
  vi.setSystemTime(1_800_000_000_000);
  given.push(generator.next());
  expect([...given].sort()).toEqual(given);
  expect(new Set(given).size).toBe(4);
  expect(given.every(isPosition)).toBe(true);
});

it('follows a position of a handle whose clock is ahead', () => {
  vi.useFakeTimers({ now: 2_000_000_000_000 });
  const ahead = new PositionGenerator();
  ahead.next();
  const last = ahead.next();
  vi.setSystemTime(1_700_000_000_000);
  const behind = new PositionGenerator();
  behind.follow(last);
  expect(behind.next() > last).toBe(true);
});

it('goes on in the next millisecond when the count of one is full', () => {
  vi.useFakeTimers({ now: 1 });
  const generator = new PositionGenerator();
  generator.follow(`${'1'.padStart(12, '0')}ffffe${'f'.repeat(16)}`);
  const [last, next] = [generator.next(), generator.next()];
  expect(last.slice(0, 17)).toBe('000000000001fffff');
  expect(next.slice(0, 17)).toBe('00000000000200000');
});

it('two handles never give the same position', () => {
  vi.useFakeTimers({ now: 1 });
  expect(new PositionGenerator().next()).not.toBe(new PositionGenerator().next());
});

it.each(['', '1', 'no position', `${'0'.repeat(32)}`, `${'G'.repeat(33)}`])('%j is no position', (text) => {
  expect(isPosition(text)).toBe(false);
});
