/**
 * How often a caller may ask (REGAPI-10): a token bucket for every caller whose token was right, and one for the
 * address of whoever has none or a wrong one (an IPv6 one by its /64), so that made-up tokens do not make callers. The
 * table is bounded.
 */
import type { Clock } from '@postern/ports';
import { peerKey } from '../login-rate.js';

export interface CallRate {
  /** What a caller may do in the long run. Default 30. */
  readonly perSecond?: number;
  /** What it may do at once. Default: as `perSecond`, and 1 at least. */
  readonly burst?: number;
  /** Callers remembered; beyond, those that asked longest ago are forgotten. Default 100,000. */
  readonly maxCallers?: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Whole calls that are left at once. */
  readonly remaining: number;
  /** Seconds until one more is there; zero where there is one. */
  readonly resetSeconds: number;
}

export interface CallRateLimit {
  readonly limit: number;
  /** Counts a call. */
  take(caller: RateCaller): RateVerdict;
  /** Tells what became of the call: whether its token was right. */
  learn(caller: RateCaller, isKnown: boolean): void;
}

export interface RateCaller {
  readonly token: string | undefined;
  readonly peerAddress?: string | undefined;
}

interface Bucket {
  calls: number;
  /** When `calls` was true. */
  at: number;
}

/** @throws TypeError for rates that are not above zero, or below one call. */
export function createCallRateLimit(clock: Clock, rate: CallRate = {}): CallRateLimit {
  const { perSecond = 30, maxCallers = 100_000 } = rate;
  const { burst = Math.max(1, perSecond) } = rate;
  if (!(perSecond > 0 && Number.isFinite(perSecond))) throw new TypeError('rate.perSecond: above zero');
  if (!(burst >= 1 && Number.isFinite(burst))) throw new TypeError('rate.burst: 1 or more');
  if (!(Number.isSafeInteger(maxCallers) && maxCallers >= 1)) throw new TypeError('rate.maxCallers: 1 or more');
  // In the order of their last call: a Map keeps the order of insertion.
  const buckets = new Map<string, Bucket>();

  function keep(key: string, bucket: Bucket): void {
    buckets.delete(key);
    buckets.set(key, bucket);
    for (const oldest of buckets.keys()) {
      if (buckets.size <= maxCallers) break;
      buckets.delete(oldest);
    }
  }

  const keyOfToken = (token: string) => `token ${token}`;
  const keyOfPeer = (peerAddress = '') => `peer ${peerKey(peerAddress)}`;
  const keyOf = ({ token, peerAddress }: RateCaller) =>
    token !== undefined && buckets.has(keyOfToken(token)) ? keyOfToken(token) : keyOfPeer(peerAddress);

  return {
    limit: perSecond,
    take(caller) {
      const key = keyOf(caller);
      const now = clock.now();
      const known = buckets.get(key) ?? { calls: burst, at: now };
      // A clock that is set back gives nothing and takes nothing.
      const calls = Math.min(burst, known.calls + (Math.max(0, now - known.at) / 1000) * perSecond);
      const allowed = calls >= 1;
      const left = allowed ? calls - 1 : calls;
      keep(key, { calls: left, at: now });
      return { allowed, remaining: Math.floor(left), resetSeconds: left >= 1 ? 0 : (1 - left) / perSecond };
    },
    learn({ token, peerAddress }, isKnown) {
      if (token === undefined) return;
      const key = keyOfToken(token);
      if (!isKnown) buckets.delete(key);
      else if (!buckets.has(key)) {
        // The first call was counted against its address: it is the caller's own after all.
        const spent = buckets.get(keyOfPeer(peerAddress));
        if (spent !== undefined) spent.calls = Math.min(burst, spent.calls + 1);
        keep(key, { calls: burst - 1, at: clock.now() });
      }
    },
  };
}
