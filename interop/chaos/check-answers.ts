/** Every call is answered or refused in time, and no answer says that the server has a defect. */
import { describe, type Operation, type Violation } from './history.js';

const ANSWERED_WITHIN_MS = 10_000;
/** For the way there and back. */
const GRACE_MS = 1_000;

/** @param starvedMs how long the machine did not let the servers and clients work. */
export function checkAnswers(
  operations: readonly Operation[],
  starvedMs: (start: number, end: number) => number = () => 0,
): readonly Violation[] {
  return operations.flatMap((operation) => {
    const { kind, start, end, status } = operation;
    if (kind === 'terminate') return [];
    const tookMs = end - start;
    const late =
      tookMs > ANSWERED_WITHIN_MS + GRACE_MS && tookMs - starvedMs(start, end) > ANSWERED_WITHIN_MS + GRACE_MS;
    return [
      ...(late ? [{ at: end, what: `no answer for ${Math.round(tookMs)} ms: ${describe(operation)}` }] : []),
      ...(status === 500 ? [{ at: end, what: `a defect: ${describe(operation)}` }] : []),
    ];
  });
}
