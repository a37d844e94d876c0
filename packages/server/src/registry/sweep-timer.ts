/** Ends what crashes left among the archives: at start, and every hour after it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostedCatalogue } from '@postern/catalogue';
import { describeError, type Log } from '../log.js';

const HOUR_MS = 60 * 60 * 1000;

export interface SweepTimer {
  /** No more sweeps; waits for one that goes on, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

type Sweeper = Pick<HostedCatalogue, 'sweepUnreferenced'>;

/** One sweep. A failure is only logged: archives that versions use are not affected. */
export async function sweepOnce(catalogue: Sweeper, log: Log, minimumAgeMs?: number): Promise<void> {
  try {
    const { removed, noted, failed } = await catalogue.sweepUnreferenced({ minimumAgeMs });
    if (removed > 0 || failed > 0) log('info', 'swept archives that no version names', { removed, noted, failed });
  } catch (error) {
    log('warning', 'archives could not be swept; the next hour tries again', describeError(error));
  }
}

/** One sweep at a time. The timer keeps no process alive. */
export function startSweepTimer(catalogue: Sweeper, log: Log, intervalMs: number = HOUR_MS): SweepTimer {
  let underWay: Promise<void> | undefined;
  const timer = setInterval(() => {
    underWay ??= sweepOnce(catalogue, log).finally(() => {
      underWay = undefined;
    });
  }, intervalMs);
  timer.unref();
  return {
    async stop(graceMs) {
      clearInterval(timer);
      if (underWay === undefined) return;
      const late = new AbortController();
      const grace = sleep(graceMs, undefined, { signal: late.signal }).catch(() => undefined);
      await Promise.race([underWay, grace]);
      late.abort();
    },
  };
}
