/** Ends what crashes left among the archives: at start, and every hour after it. */
import type { HostedCatalogue } from '@postern/catalogue';
import { describeError, type Log } from '../log.js';
import { repeat, waitAtMost } from '../repeat.js';

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

/** One sweep at a time, the first after an hour. */
export function startSweepTimer(catalogue: Sweeper, log: Log, intervalMs: number = HOUR_MS): SweepTimer {
  const sweeps = repeat(() => sweepOnce(catalogue, log), intervalMs);
  return { stop: (graceMs) => waitAtMost(graceMs, sweeps.stop()) };
}
