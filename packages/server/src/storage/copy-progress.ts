/** How far a copy is: on a terminal one line that is written over, elsewhere a line now and then. */
import type { Terminal } from '../terminal.js';
import type { CopyPhase, OnCopyProgress } from './copy-storage.js';

const ON_TERMINAL_MS = 200;
const ELSEWHERE_MS = 10_000;
const CLEAR_LINE = '\r\u001b[K';

export function createCopyProgress(
  { printError, isInteractive }: Terminal,
  now: () => number = () => performance.now(),
): { readonly show: OnCopyProgress; readonly end: () => void } {
  let phase: CopyPhase | undefined;
  let begunAt = 0;
  let shownAt = now();
  return {
    show(current, done, total) {
      const at = now();
      if (phase !== current) {
        phase = current;
        begunAt = at;
      }
      if (at - shownAt < (isInteractive ? ON_TERMINAL_MS : ELSEWHERE_MS)) return;
      shownAt = at;
      const line = lineOf(current, done, total, (at - begunAt) / 1000);
      printError(isInteractive ? `${CLEAR_LINE}${line}` : `${line}\n`);
    },
    end() {
      if (isInteractive) printError(CLEAR_LINE);
    },
  };
}

function lineOf(phase: CopyPhase, done: number, total: number | undefined, seconds: number): string {
  const rate = done / Math.max(seconds, 0.001);
  const counted = total === undefined ? `${done}` : `${done} of ${total}`;
  const left = total === undefined || rate === 0 ? '' : `, ${durationOf((total - done) / rate)} left`;
  return `${phase}: ${counted} records, ${Math.round(rate)}/s${left}`;
}

function durationOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.ceil(whole / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
