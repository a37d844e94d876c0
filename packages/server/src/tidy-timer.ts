/** The clock hand of periodic tidying (TIDY-6): asks the method every minute; whether something is due is the method's to know. */
import type { AuthMethod } from '@postern/core-auth';
import { describeError, type Log } from './log.js';
import { repeat, waitAtMost } from './repeat.js';

const TICK_MS = 60_000;

export interface TidyTimer {
  /** No more ticks; waits for what goes on to end at its next page, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Ticks at once and then each minute, one at a time. */
export function startTidyTimer(
  method: Pick<AuthMethod, 'runPeriodicTidy' | 'close'>,
  log: Log,
  tickMs: number = TICK_MS,
): TidyTimer {
  async function tick(): Promise<void> {
    try {
      await method.runPeriodicTidy();
    } catch (error) {
      log('warning', 'periodic tidy failed to start; retrying at the next tick', describeError(error));
    }
  }

  const ticks = repeat(tick, tickMs);
  ticks.begin();
  return { stop: (graceMs) => waitAtMost(graceMs, Promise.all([method.close(), ticks.stop()])) };
}
