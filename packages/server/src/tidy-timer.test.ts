/** Periodic tidying by the server's timer, at a tick of milliseconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startTidyTimer } from './tidy-timer.js';

const quiet = () => undefined;

describe('the tidy timer', () => {
  it('ticks at once and then again and again, until it is stopped', async () => {
    let ticks = 0;
    const method = {
      runPeriodicTidy: async () => {
        ticks += 1;
      },
      close: async () => undefined,
    };
    const timer = startTidyTimer(method, quiet, 1);
    expect(ticks).toBe(1);
    while (ticks < 4) await sleep(1);
    await timer.stop(1000);
    const atStop = ticks;
    await sleep(20);
    expect(ticks).toBe(atStop);
  });

  it('logs a tick that failed, and goes on', async () => {
    let ticks = 0;
    const lines: unknown[] = [];
    const method = {
      runPeriodicTidy: () => {
        ticks += 1;
        return Promise.reject(new TypeError('secret'));
      },
      close: async () => undefined,
    };
    const timer = startTidyTimer(method, (level, _message, facts) => void lines.push([level, facts]), 1);
    while (ticks < 3) await sleep(1);
    await timer.stop(1000);
    expect(lines[0]).toEqual(['warning', expect.objectContaining({ error: 'TypeError' })]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('never joins a tick with another, and waits for it when stopped', async () => {
    let most = 0;
    let running = 0;
    let release = () => {};
    const method = {
      runPeriodicTidy: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        running -= 1;
      },
      close: async () => release(),
    };
    const timer = startTidyTimer(method, quiet, 1);
    await sleep(20);
    await timer.stop(1000);
    expect([most, running]).toEqual([1, 0]);
  });

  it('waits no longer than it may', async () => {
    const timer = startTidyTimer(
      { runPeriodicTidy: () => new Promise(() => undefined), close: async () => undefined },
      quiet,
    );
    await timer.stop(5);
  });
});
