/**
 * How long this process and the servers were ready to run and got no processor (Linux: run_delay of /proc/PID/schedstat). A bound
 * on answers judges the servers, not the other work of the machine.
 */
import { readFileSync } from 'node:fs';

const EVERY_MS = 200;

export interface Starvation {
  /** Milliseconds, of all processes together. */
  between(start: number, end: number): number;
  stop(): void;
}

export function watchStarvation(pids: () => readonly number[]): Starvation {
  const last = new Map<number, number>();
  const samples: { readonly at: number; readonly totalMs: number }[] = [{ at: performance.now(), totalMs: 0 }];

  function look(): void {
    let totalMs = samples.at(-1)?.totalMs ?? 0;
    for (const pid of [process.pid, ...pids()]) {
      const delayMs = runDelayMs(pid);
      totalMs += Math.max(0, delayMs - (last.get(pid) ?? delayMs));
      last.set(pid, delayMs);
    }
    samples.push({ at: performance.now(), totalMs });
  }

  look();
  const timer = setInterval(look, EVERY_MS);
  return {
    between(start, end) {
      const before = samples.findLast(({ at }) => at <= start) ?? samples[0];
      const after = samples.find(({ at }) => at >= end) ?? samples.at(-1);
      return (after?.totalMs ?? 0) - (before?.totalMs ?? 0);
    },
    stop: () => clearInterval(timer),
  };
}

/** 0 for a process that has gone, and where the kernel does not count. */
function runDelayMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
