/**
 * Limits calls by caller (REGAPI-10): a bucket for every caller whose token was accepted, and one for the peer address of
 * calls with no token or a rejected one, so that made-up tokens get no buckets.
 */
import type { Clock } from '@postern/ports';
import { createTokenBuckets, peerKey } from '../rate.js';

export interface CallRate {
  /** Sustained calls. Default 30. */
  readonly perSecond?: number;
  /** Calls at once. Default: `perSecond`, but at least 1. */
  readonly burst?: number;
  /** Callers remembered; beyond, those that asked longest ago are forgotten. Default 100,000. */
  readonly maxCallers?: number;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Whole calls left. */
  readonly remaining: number;
  /** Seconds until one call is left; 0 where there is one. */
  readonly resetSeconds: number;
}

export interface CallRateLimit {
  readonly limit: number;
  /** Counts a call. */
  take(caller: RateCaller): RateVerdict;
  /** Records whether the call's token was accepted. */
  recordResult(caller: RateCaller, isKnown: boolean): void;
}

export interface RateCaller {
  readonly token: string | undefined;
  readonly peerAddress?: string | undefined;
}

/** @throws TypeError for a rate that is not greater than 0, a burst or a size below 1. */
export function createCallRateLimit(clock: Clock, rate: CallRate = {}): CallRateLimit {
  const { perSecond = 30, maxCallers: maxKeys = 100_000 } = rate;
  const { burst = Math.max(1, perSecond) } = rate;
  const names = { perSecond: 'rate.perSecond', burst: 'rate.burst', maxKeys: 'rate.maxCallers' };
  const buckets = createTokenBuckets(clock, { perSecond, burst, maxKeys }, names);

  const keyOfToken = (token: string) => `token ${token}`;
  const keyOfPeer = (peerAddress?: string) => `peer ${peerKey(peerAddress)}`;
  const keyOf = ({ token, peerAddress }: RateCaller) =>
    token !== undefined && buckets.has(keyOfToken(token)) ? keyOfToken(token) : keyOfPeer(peerAddress);

  return {
    limit: perSecond,
    take(caller) {
      const { allowed, left, resetSeconds } = buckets.take(keyOf(caller));
      return { allowed, remaining: Math.floor(left), resetSeconds };
    },
    recordResult({ token, peerAddress }, isKnown) {
      if (token === undefined) return;
      const key = keyOfToken(token);
      if (!isKnown) buckets.forget(key);
      else if (!buckets.has(key)) {
        // The first call was counted against its peer: the token was not known yet.
        buckets.giveBack(keyOfPeer(peerAddress));
        buckets.take(key);
      }
    },
  };
}
