/** Ends what crashes left among the archives: from start on, and every hour (PUBLISH-9). */
import type { HostedCatalogue } from '@postern/catalogue';
import type { EpochMillis } from '@postern/ports';
import { describeError, type Log } from '../log.js';
import { repeat, waitAtMost } from '../repeat.js';

const HOUR_MS = 60 * 60 * 1000;

export interface SweepTimer {
  /** No more sweeps; waits for one that goes on, at most `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

type Sweeper = Pick<HostedCatalogue, 'sweepUnreferenced'>;

/** One sweep. A failure is only logged: archives that versions use are not affected. */
export async function sweepOnce(catalogue: Sweeper, log: Log, leftBefore?: EpochMillis): Promise<void> {
  try {
    const { removed, noted, failed } = await catalogue.sweepUnreferenced({ leftBefore });
    if (removed > 0 || failed > 0) log('info', 'swept archives that no version names', { removed, noted, failed });
  } catch (error) {
    log('warning', 'archives could not be swept; the next hour tries again', describeError(error));
  }
}

/** One sweep at a time, the first at once. @param leftBefore of the first, where nobody else publishes. */
export function startSweepTimer(
  catalogue: Sweeper,
  log: Log,
  leftBefore: EpochMillis | undefined,
  intervalMs: number = HOUR_MS,
): SweepTimer {
  let first = leftBefore;
  const sweeps = repeat(async () => {
    const left = first;
    first = undefined;
    await sweepOnce(catalogue, log, left);
  }, intervalMs);
  sweeps.begin();
  return { stop: (graceMs) => waitAtMost(graceMs, sweeps.stop()) };
}
