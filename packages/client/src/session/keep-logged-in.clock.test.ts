/** Time passes, whatever happens to the clocks. */
import { expect, it } from 'vitest';
import { createSteadyClock } from './keep-logged-in.js';

it.each([
  ['both go on', 100, 100, 100],
  ['the wall clock is set back', -3_600_000, 100, 100],
  ['the wall clock is set forward', 3_600_000, 100, 3_600_000],
  ['the machine slept', 3_600_000, 0, 3_600_000],
  ['both stand still', 0, 0, 0],
  ['both go back', -5, -5, 0],
])('%s', (_name, wallMs, monotonicMs, passedMs) => {
  const at = { wall: 1_000_000, monotonic: 50 };
  const clock = createSteadyClock(
    () => at.wall,
    () => at.monotonic,
  );
  expect(clock()).toBe(0);
  at.wall += wallMs;
  at.monotonic += monotonicMs;
  expect(clock()).toBe(passedMs);
  expect(clock()).toBe(passedMs);
  at.wall += 10;
  at.monotonic += 10;
  expect(clock()).toBe(passedMs + 10);
});

it('is of this machine unless told', async () => {
  const clock = createSteadyClock();
  const before = clock();
  await new Promise((resolve) => setTimeout(resolve, 15));
  expect(clock() - before).toBeGreaterThan(10);
});
