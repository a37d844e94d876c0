import type { Awaitable, CallOptions } from './shared.js';

/** How often a key may act: sustained, and at once. */
export interface RateLimits {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Cost that the key could still take now, with fractions. */
  readonly remaining: number;
  /** Until a cost of 1 may be taken; 0 where it may be now. */
  readonly resetSeconds: number;
}

/**
 * Counts what peers and callers do, a token bucket for each key (WIRE-18). One limiter serves all rates of a host: keys begin with the name
 * of the rate, and never contain a token or another secret.
 */
export interface RateLimiter {
  /**
   * Takes `cost` from the bucket of the key, or nothing where it holds less. A negative cost returns what was taken and not used.
   *
   * Called before anything else is done for a request: it must answer from memory where it can, and must not throw because a
   * shared store is down.
   */
  take(key: string, cost: number, limits: RateLimits): Awaitable<RateVerdict>;
}

/** What one host took from a bucket since its last exchange: below 0 where it returned more than it took, 0 where it only asks. */
export interface RateTaking {
  readonly key: string;
  readonly cost: number;
  readonly limits: RateLimits;
}

export interface SharedBucket {
  readonly key: string;
  /** What it holds now; below 0 where the hosts together took more than there was. */
  readonly tokens: number;
  readonly limits: RateLimits;
}

/** Buckets that several hosts share (WIRE-29). Called in the background, never while a request waits. */
export interface RateExchange {
  /**
   * Takes from the shared buckets, however little they hold, and returns them as they are then, with others that hold
   * less than half of their burst, those that hold least first.
   *
   * @throws where nothing is known of the outcome, too: a taking is never sent twice.
   */
  exchange(takings: readonly RateTaking[], options?: CallOptions): Promise<readonly SharedBucket[]>;
}
