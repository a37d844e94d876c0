/** The clock hand of periodic tidying (TIDY-6): asks the method every minute; whether something is due is the method's to know. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuthMethod } from '@postern/core-auth';
import { describeError, type Log } from './log.js';

const TICK_MS = 60_000;

export interface TidyTimer {
  /** No more ticks; waits for what goes on to end at its next page, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Ticks at once and then each minute, one at a time. The timer keeps no process alive. */
export function startTidyTimer(
  method: Pick<AuthMethod, 'runPeriodicTidy' | 'close'>,
  log: Log,
  tickMs: number = TICK_MS,
): TidyTimer {
  let underWay: Promise<void> | undefined;

  async function tick(): Promise<void> {
    try {
      await method.runPeriodicTidy();
    } catch (error) {
      log('warning', 'periodic tidy failed to start; retrying at the next tick', describeError(error));
    } finally {
      underWay = undefined;
    }
  }
  // A tick that outlasts the minute is not joined by another.
  const next = (): void => {
    underWay ??= tick();
  };

  next();
  const timer = setInterval(next, tickMs);
  timer.unref();
  return {
    async stop(graceMs) {
      clearInterval(timer);
      const late = new AbortController();
      // A storage that never answers must not keep the process from ending.
      const grace = sleep(graceMs, undefined, { signal: late.signal, ref: true }).catch(() => undefined);
      await Promise.race([Promise.all([method.close(), underWay]), grace]);
      late.abort();
    },
  };
}
