/** The clock of the machine: it tells the time, waits, and stops waiting with the caller. */
import { expect, it } from 'vitest';
import { systemClock } from './system-clock.js';

const sleep = (milliseconds: number, signal?: AbortSignal) => systemClock.sleep?.(milliseconds, { signal });

it('tells the time of the machine', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

it('waits', async () => {
  const before = performance.now();
  await sleep(20);
  expect(performance.now() - before).toBeGreaterThan(15);
});

it('rejects with the reason of the signal, before and while it waits', async () => {
  const reason = new Error('gave up');
  await expect(sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const giveUp = new AbortController();
  const waiting = sleep(60_000, giveUp.signal);
  giveUp.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
