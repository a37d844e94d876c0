/** Retries (429, 503, unreachable): a few times, within a limit, with jitter, and never before `Retry-After`. */
import { setTimeout as timer } from 'node:timers/promises';
import { aborted, isPosternClientError } from '../client-error.js';

/** Waits; resolves early when the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface RetryOptions {
  /** Tries in all; default 4. 1 tries once. */
  readonly maxAttempts: number;
  /** Of all waiting together; a wait that would go beyond is not begun. Milliseconds. */
  readonly maxWaitMs: number;
  readonly sleep: Sleep;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 250;

/** Many clients that were told the same second must not come back in the same one. */
const SPREAD = 0.25;

export const realSleep: Sleep = (ms, signal) =>
  timer(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);

/** @param attempt is called anew each time. @throws whatever its last call threw; PosternClientError `aborted` */
export async function retrying<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  let waitedMs = 0;
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= options.maxAttempts || !isPosternClientError(error) || error.kind !== 'unavailable') throw error;
      const pauseMs = pauseOf(tried, error.retryAfterSeconds, options.random());
      if (waitedMs + pauseMs > options.maxWaitMs) throw error;
      waitedMs += pauseMs;
      await options.sleep(pauseMs, options.signal);
      if (options.signal?.aborted === true) throw aborted();
    }
  }
}

/** Doubling, from half to all of it by chance; at least what the server asked for, and up to a quarter more. */
export function pauseOf(tried: number, retryAfterSeconds: number | undefined, random: number): number {
  const ownMs = FIRST_PAUSE_MS * 2 ** (tried - 1) * (0.5 + random / 2);
  return Math.ceil(Math.max(ownMs, (retryAfterSeconds ?? 0) * 1_000 * (1 + random * SPREAD)));
}
