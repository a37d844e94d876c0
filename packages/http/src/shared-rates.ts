/**
 * Rates that several hosts share (WIRE-29): each decides from memory, as the limiter in memory does, and tells the others in the background
 * what it let through. No request waits for an exchange, and where exchanges fail each host counts for itself.
 */
import type { Clock, RateExchange, RateLimiter, RateTaking, SharedBucket } from '@postern/ports';
import { createBuckets, DEFAULT_MAX_KEYS } from './rate.js';

/** What is not worth telling: up to this share of a rate at each host. A peer that behaves costs the shared store nothing. */
const UNTOLD_SHARE = 0.1;
/** Told at once, those first that took most of their rate. A flood from more peers than that is beyond rates by peer. */
const MAX_TOLD = 1_000;
/** Keys that are counted between two exchanges. */
const MAX_UNTOLD = 10_000;

export interface SharedRateLimiter extends RateLimiter {
  /**
   * Tells what was taken since the last call, and learns what the buckets hold. Call it about once a second, one call at a time.
   *
   * @throws as the exchange does. What was taken meanwhile is not told again: it may have been counted.
   */
  exchange(): Promise<void>;
}

/** @throws TypeError for `maxKeys` below 1. */
export function createSharedRateLimiter(
  clock: Clock,
  rates: RateExchange,
  { maxKeys = DEFAULT_MAX_KEYS } = {},
): SharedRateLimiter {
  const buckets = createBuckets(clock, maxKeys);
  let untold = new Map<string, Untold>();
  let begunAt = clock.now();
  let isBehind = false;

  return {
    take(key, cost, limits) {
      const verdict = buckets.take(key, cost, limits);
      const before = untold.get(key);
      if (before !== undefined || untold.size < MAX_UNTOLD) {
        const taken = (before?.cost ?? 0) + (verdict.allowed ? cost : 0);
        untold.set(key, { key, cost: taken, limits, wasRefused: before?.wasRefused === true || !verdict.allowed });
      }
      return verdict;
    },

    async exchange() {
      const now = clock.now();
      const seconds = Math.max(0, now - begunAt) / 1000;
      const told = [...untold.values()]
        .filter(
          ({ cost, limits, wasRefused }) =>
            wasRefused || (cost !== 0 && Math.abs(cost) >= UNTOLD_SHARE * limits.perSecond * seconds),
        )
        .sort((a, b) => shareOf(b) - shareOf(a))
        .slice(0, MAX_TOLD)
        .map(({ key, cost, limits }) => ({ key, cost, limits }));
      untold = new Map();
      begunAt = now;
      let found: readonly SharedBucket[];
      try {
        found = await rates.exchange(told);
      } catch (error) {
        isBehind = true;
        throw error;
      }
      for (const { key, tokens, limits } of found) {
        // What was taken while the answer came is not in it.
        const held = tokens - (untold.get(key)?.cost ?? 0);
        // After a failed exchange the shared bucket lacks what was taken here.
        buckets.put(key, isBehind ? Math.min(held, buckets.held(key, limits)) : held, limits);
      }
      isBehind = false;
    },
  };
}

interface Untold extends RateTaking {
  /** Others may have returned something meanwhile: it is asked about. */
  readonly wasRefused: boolean;
}

function shareOf({ cost, limits }: RateTaking): number {
  return Math.abs(cost) / limits.perSecond;
}
