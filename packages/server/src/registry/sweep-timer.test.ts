/** Sweeping by the hour: one at a time, a failure told, an end that waits. */
import type { HostedCatalogue } from '@postern/catalogue';
import { describe, expect, it } from 'vitest';
import type { Log } from '../log.js';
import { startSweepTimer, sweepOnce } from './sweep-timer.js';

const NOTHING = { removed: 0, noted: 0, failed: 0 };

function recorder() {
  const lines: string[] = [];
  const log: Log = (level, message) => void lines.push(`${level} ${message}`);
  return { lines, log };
}

describe('a sweep', () => {
  it('tells what it removed, and nothing of nothing', async () => {
    const { lines, log } = recorder();
    await sweepOnce({ sweepUnreferenced: async () => NOTHING }, log);
    expect(lines).toEqual([]);
    await sweepOnce({ sweepUnreferenced: async () => ({ ...NOTHING, removed: 2 }) }, log);
    expect(lines).toHaveLength(1);
  });

  it('that fails is reported, and the timer goes on', async () => {
    const { lines, log } = recorder();
    await sweepOnce({ sweepUnreferenced: () => Promise.reject(new Error('secret')) }, log);
    expect(lines).toEqual([expect.stringMatching(/^warning /)]);
    expect(lines.join()).not.toContain('secret');
  });
});

describe('the timer', () => {
  it('sweeps again and again, one at a time, and stops when that one has ended', async () => {
    const { log } = recorder();
    let underWay = 0;
    let most = 0;
    let done = 0;
    const left: unknown[] = [];
    const sweepUnreferenced: HostedCatalogue['sweepUnreferenced'] = async ({ leftBefore } = {}) => {
      left.push(leftBefore);
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 30));
      underWay -= 1;
      done += 1;
      return NOTHING;
    };
    const timer = startSweepTimer({ sweepUnreferenced }, log, 7, 5);
    await expect.poll(() => done).toBeGreaterThanOrEqual(2);
    await expect.poll(() => underWay).toBe(1);
    await timer.stop(5000);
    expect(underWay).toBe(0);
    expect(most).toBe(1);
    // The first alone: what is published since is of this process.
    expect(left.slice(0, 2)).toEqual([7, undefined]);
    const after = done;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(done).toBe(after);
  });

  it('stops without one that never ends', async () => {
    const { log } = recorder();
    let began = 0;
    const sweepUnreferenced = () => {
      began += 1;
      return new Promise<never>(() => undefined);
    };
    const timer = startSweepTimer({ sweepUnreferenced }, log, undefined, 1);
    await expect.poll(() => began).toBe(1);
    await timer.stop(10);
    expect(began).toBe(1);
  });
});
