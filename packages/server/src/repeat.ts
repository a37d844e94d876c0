/** Periodic work of a server, and how it ends. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Repeated {
  /** Runs now, unless a run is under way. */
  begin(): void;
  /** Ends the timer, and waits for the run under way. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `everyMs`, first after that time. A run that takes longer is not joined by another. The timer keeps no process alive.
 *
 * @param work reports its failures itself, and does not reject.
 */
export function repeat(work: () => Promise<void>, everyMs: number): Repeated {
  let underWay: Promise<void> | undefined;
  const begin = (): void => {
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
  };
  const timer = setInterval(begin, everyMs);
  timer.unref();
  return {
    begin,
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
}

/** Waits for `ends`, at most `graceMs`: a storage that never answers must not keep the process from ending. */
export async function waitAtMost(graceMs: number, ends: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  const grace = sleep(graceMs, undefined, { signal: late.signal }).catch(() => undefined);
  try {
    await Promise.race([ends, grace]);
  } finally {
    late.abort();
  }
}
