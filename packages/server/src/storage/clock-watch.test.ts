/** What a server notices of its clock (TIDY-11): against the storage's, and by itself. */
import { createManualClock } from '@postern/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogFacts } from '../log.js';
import { watchClock } from './clock-watch.js';

const START = Date.UTC(2026, 10, 21, 9);
const HOUR = 3_600_000;

function watched(options: { readonly hasClock: boolean }) {
  const clock = createManualClock(START);
  const database = createManualClock(START);
  const lines: (readonly [string, string, LogFacts?])[] = [];
  let steady = 0;
  let isDown = false;
  const now = async () => {
    if (isDown) throw new Error('down');
    return database.now();
  };
  const watch = watchClock(
    options.hasClock ? { now } : {},
    clock,
    (level, message, facts = {}) => lines.push([level, message, facts]),
    {
      monotonic: () => steady,
    },
  );
  return {
    clock,
    watch,
    lines,
    down: () => {
      isDown = true;
    },
    /** Time as it passes. */
    pass: async (ms: number) => {
      clock.advance(ms);
      database.advance(ms);
      steady += ms;
      await vi.advanceTimersByTimeAsync(ms);
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('O2: against the clock of the storage', () => {
  it('measures at the start and every 10 seconds, and tells once', async () => {
    const { watch, clock, lines, pass } = watched({ hasClock: true });
    expect(watch.guard?.skewMs()).toBeUndefined();
    await pass(0);
    expect(watch.guard?.skewMs()).toBe(0);
    expect(watch.warning()).toBeUndefined();
    clock.advance(26 * HOUR);
    await pass(10_000);
    await pass(10_000);
    expect(watch.guard?.skewMs()).toBe(26 * HOUR);
    expect(watch.warning()).toBe("the clock of this server is 93600 s ahead of the database's; correct it");
    expect(lines.filter(([, text]) => text.includes('differs'))).toHaveLength(1);
    clock.advance(-26 * HOUR);
    await pass(10_000);
    expect(watch.guard?.skewMs()).toBe(0);
    expect(watch.warning()).toBeUndefined();
    expect(lines.at(-1)?.[1]).toContain('agrees');
    watch.stop();
  });

  it('sees a jump at once, before it measures again', async () => {
    const { watch, clock, down, pass } = watched({ hasClock: true });
    await pass(0);
    down();
    await pass(3_000);
    expect(watch.guard?.skewMs()).toBe(0);
    clock.advance(-65 * 60_000);
    expect(watch.guard?.skewMs()).toBe(-65 * 60_000);
    expect(watch.refusal()).toEqual(['clock_skewed', expect.stringContaining('more than 5 minutes')]);
    expect(watch.warning()).toContain('3900 s behind');
    clock.advance(65 * 60_000);
    expect(watch.refusal()).toBeUndefined();
    expect(watch.warning()).toBeUndefined();
    watch.stop();
  });

  it('knows nothing new while the storage is down, and keeps what it knew', async () => {
    const { watch, down, pass } = watched({ hasClock: true });
    await pass(0);
    down();
    expect(await watch.guard?.measure()).toBeUndefined();
    expect(watch.guard?.skewMs()).toBe(0);
    watch.stop();
  });
});

describe('without one', () => {
  it('there is nothing to compare with, and a jump is logged', async () => {
    const { watch, clock, lines, pass } = watched({ hasClock: false });
    expect(watch.guard).toBeUndefined();
    await pass(10_000);
    expect(lines).toEqual([]);
    clock.advance(-HOUR);
    await pass(10_000);
    await pass(10_000);
    expect(lines).toEqual([['warning', 'the system clock jumped', { seconds: -3600 }]]);
    watch.stop();
  });
});
