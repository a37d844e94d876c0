/**
 * Rate limits (WIRE-18, THREAT-35, REGAPI-10): one token bucket for each peer or caller. The table is bounded; beyond its size the
 * keys that asked longest ago are forgotten. Measured against rate-limiter-flexible in docs/adr/0015-own-token-bucket.md.
 */
import type { Clock } from '@postern/ports';
import { LRUCache } from 'lru-cache';

export interface BucketLimits {
  /** Tokens that a key gains. */
  readonly perSecond: number;
  /** Tokens that a key holds at most. */
  readonly burst: number;
  readonly maxKeys: number;
}

export interface Take {
  readonly allowed: boolean;
  /** Tokens left, with fractions. */
  readonly left: number;
  /** Seconds until one token is there; 0 where there is one. */
  readonly resetSeconds: number;
  /**
   * At the first refusal since the key was last allowed, the one to report: how many refusals before it were not. So a
   * flood adds at most one audit event for each attempt that was allowed.
   */
  readonly suppressedCount: number | undefined;
}

export interface TokenBuckets {
  has(key: string): boolean;
  take(key: string): Take;
  /** Returns a token to a key that took one. */
  giveBack(key: string): void;
  forget(key: string): void;
}

interface Bucket {
  tokens: number;
  /** When `tokens` was true. */
  at: number;
  isRefusing: boolean;
  suppressed: number;
}

/**
 * @param names of the options in error messages.
 * @throws TypeError for a rate that is not greater than 0, a burst or a size below 1.
 */
export function createTokenBuckets(
  clock: Clock,
  limits: BucketLimits,
  names: Readonly<Record<keyof BucketLimits, string>>,
): TokenBuckets {
  const { perSecond, burst, maxKeys } = limits;
  if (!(perSecond > 0 && Number.isFinite(perSecond))) throw new TypeError(`${names.perSecond}: must be greater than 0`);
  if (!(burst >= 1 && Number.isFinite(burst))) throw new TypeError(`${names.burst}: must be at least 1`);
  if (!(Number.isSafeInteger(maxKeys) && maxKeys >= 1)) throw new TypeError(`${names.maxKeys}: must be at least 1`);
  const buckets = new LRUCache<string, Bucket>({ max: maxKeys });

  return {
    has: (key) => buckets.has(key),
    take(key) {
      const now = clock.now();
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        bucket = { tokens: burst, at: now, isRefusing: false, suppressed: 0 };
        buckets.set(key, bucket);
      }
      // A clock that is set back neither adds nor removes tokens.
      const gained = (Math.max(0, now - bucket.at) / 1000) * perSecond;
      const tokens = Math.min(burst, bucket.tokens + gained);
      const allowed = tokens >= 1;
      const suppressedCount = allowed || bucket.isRefusing ? undefined : bucket.suppressed;
      if (!allowed) bucket.suppressed = bucket.isRefusing ? bucket.suppressed + 1 : 0;
      bucket.isRefusing = !allowed;
      bucket.at = now;
      bucket.tokens = allowed ? tokens - 1 : tokens;
      const left = bucket.tokens;
      return { allowed, left, resetSeconds: left >= 1 ? 0 : (1 - left) / perSecond, suppressedCount };
    },
    giveBack(key) {
      const bucket = buckets.peek(key);
      if (bucket !== undefined) bucket.tokens = Math.min(burst, bucket.tokens + 1);
    },
    forget: (key) => void buckets.delete(key),
  };
}

export interface LoginRate {
  /** Sustained attempts of a peer. Default 50. */
  readonly perSecond?: number;
  /** Attempts at once. Default 200. */
  readonly burst?: number;
  /** Peers remembered; beyond, those that asked longest ago are forgotten. Default 100,000. */
  readonly maxPeers?: number;
}

export interface LoginRateRefusal {
  /** Whole seconds. */
  readonly retryAfterSeconds: number;
  readonly suppressedCount: number | undefined;
}

export interface LoginRateLimit {
  /**
   * Counts an attempt.
   *
   * @param peerAddress undefined: not known; all of those share one bucket.
   * @returns undefined where the attempt is allowed.
   */
  take(peerAddress: string | undefined): LoginRateRefusal | undefined;
}

/** Limits attempts to log in by peer. @throws TypeError as `createTokenBuckets`. */
export function createLoginRateLimit(clock: Clock, rate: LoginRate = {}): LoginRateLimit {
  const { perSecond = 50, burst = 200, maxPeers: maxKeys = 100_000 } = rate;
  const names = { perSecond: 'loginRate.perSecond', burst: 'loginRate.burst', maxKeys: 'loginRate.maxPeers' };
  const buckets = createTokenBuckets(clock, { perSecond, burst, maxKeys }, names);
  return {
    take(peerAddress) {
      const { allowed, resetSeconds, suppressedCount } = buckets.take(peerKey(peerAddress));
      if (allowed) return undefined;
      return { retryAfterSeconds: Math.max(1, Math.ceil(resetSeconds)), suppressedCount };
    },
  };
}

/**
 * The key of a peer: an IPv4 address as it is, mapped into IPv6 or not; of an IPv6 address its /64, because one host usually has
 * one address of such a network has them all.
 */
export function peerKey(address = ''): string {
  const plain = address.split('%', 1)[0] ?? '';
  if (!plain.includes(':')) return plain;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  const network = groups.slice(0, 4).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
