/** A clock that stands still until a test moves it. */
import type { Clock, EpochMillis } from '@postern/ports';

/** A `Clock` under the test's hand. */
export interface ManualClock extends Clock {
  /** Moves on by `ms` milliseconds; negative moves back, as a corrected system clock may. */
  advance(ms: number): void;
  /** Jumps to an instant. */
  set(now: EpochMillis): void;
}

/**
 * Creates a clock that shows `startMillis` until it is moved.
 *
 * @throws TypeError when an instant is not a whole number of milliseconds.
 */
export function createManualClock(startMillis: EpochMillis): ManualClock {
  let current = wholeMillis(startMillis);
  return {
    now: () => current,
    advance: (ms) => {
      current = wholeMillis(current + ms);
    },
    set: (now) => {
      current = wholeMillis(now);
    },
  };
}

function wholeMillis(value: number): EpochMillis {
  if (!Number.isSafeInteger(value)) throw new TypeError('an instant is a whole number of milliseconds');
  return value;
}
