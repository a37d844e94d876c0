/**
 * Backs off where the cloud throttles (PROVIDER-6): calls of one service, account and region are refused at once until a wait has passed,
 * then one of them asks, and the others wait for what it hears. The SDK's adaptive mode would hold every call instead of answering it,
 * on a clock of its own, and its standard mode backs off in each call by itself.
 */
import { type Clock, ProviderError } from '@postern/ports';
import { LRUCache } from 'lru-cache';
import { wasThrottled } from './sdk-error.js';

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
const MAX_PLACES = 1_024;

export interface Throttle {
  /**
   * @param place service, region and account whose calls the cloud counts together
   * @throws ProviderError `unavailable` where it backs off; what `call` throws.
   */
  run<T>(place: string, call: () => Promise<T>): Promise<T>;
}

interface Pause {
  /** In a row. */
  readonly refusals: number;
  readonly until: number;
  /** The call that finds out whether it is over: resolves when it has, and never rejects. */
  asking: Promise<void> | undefined;
}

/** @param random from 0 to 1, for jitter: servers that were throttled together do not come back together. */
export function createThrottle(clock: Clock, random: () => number): Throttle {
  const pauses = new LRUCache<string, Pause>({ max: MAX_PLACES });

  function pauseAfter(refusals: number, error: unknown): Pause {
    const most = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (refusals - 1));
    const asked = error instanceof ProviderError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    const waitMs = Math.max(asked, most / 2 + (most / 2) * random());
    return { refusals, until: clock.now() + Math.min(waitMs, MAX_WAIT_MS), asking: undefined };
  }

  return {
    async run(place, call) {
      let before = pauses.get(place);
      let found: () => void = () => undefined;
      while (before !== undefined) {
        const leftMs = before.until - clock.now();
        // A clock that was set back does not make the pause longer.
        if (leftMs > 0 && leftMs <= MAX_WAIT_MS) throw backingOff(leftMs);
        if (before.asking === undefined) {
          before.asking = new Promise((resolve) => {
            found = resolve;
          });
          break;
        }
        await before.asking;
        before = pauses.get(place);
      }
      try {
        const answer = await call();
        if (before !== undefined) pauses.delete(place);
        return answer;
      } catch (error) {
        // Calls that were under way when the pause began are refused with the one that began it: they count once.
        if (pauses.get(place) !== before) throw error;
        if (wasThrottled(error)) pauses.set(place, pauseAfter((before?.refusals ?? 0) + 1, error));
        else pauses.delete(place);
        throw error;
      } finally {
        found();
      }
    },
  };
}

function backingOff(leftMs: number): ProviderError {
  const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1_000));
  return new ProviderError('unavailable', 'the cloud throttles this server; waiting before the next call', {
    retryAfterSeconds,
  });
}
