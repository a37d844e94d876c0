/**
 * Rate limits (WIRE-18, WIRE-22, THREAT-35, REGAPI-10): a token bucket for each peer or caller. The default limiter keeps them in memory,
 * for one process; its table is bounded, and beyond its size the keys that asked longest ago are forgotten. Measured against
 * rate-limiter-flexible in docs/adr/0015-own-token-bucket.md.
 */
import { createBoundedCache, peerKey } from '@postern/kernel';
import type { Awaitable, Clock, EpochMillis, RateLimiter, RateLimits, RateVerdict } from '@postern/ports';

export const DEFAULT_MAX_KEYS = 100_000;

interface Bucket {
  tokens: number;
  /** When `tokens` was true. */
  at: number;
  limits: RateLimits;
}

/** @throws TypeError for `maxKeys` below 1. */
export function createMemoryRateLimiter(clock: Clock, { maxKeys = DEFAULT_MAX_KEYS } = {}): RateLimiter {
  return { take: createBuckets(clock, maxKeys).take };
}

export interface Buckets {
  take(key: string, cost: number, limits: RateLimits): RateVerdict;
  held(key: string, limits: RateLimits): number;
  /** @param tokens may be less than 0. */
  put(key: string, tokens: number, limits: RateLimits): void;
}

/** @throws TypeError for `maxKeys` below 1. */
export function createBuckets(clock: Clock, maxKeys = DEFAULT_MAX_KEYS): Buckets {
  if (!(Number.isSafeInteger(maxKeys) && maxKeys >= 1)) throw new TypeError('maxKeys: must be at least 1');
  const buckets = createBoundedCache<string, Bucket>(maxKeys);

  function filled(key: string, limits: RateLimits): Bucket {
    const now = clock.now();
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      forgetFull(now);
      bucket = { tokens: limits.burst, at: now, limits };
      buckets.set(key, bucket);
    }
    bucket.tokens = tokensAt(bucket, now, limits);
    bucket.at = now;
    bucket.limits = limits;
    return bucket;
  }

  /** A full bucket is as one that is not there: memory follows those who ask now. Looks at the two that were asked for longest ago. */
  function forgetFull(now: EpochMillis): void {
    const full: string[] = [];
    for (const key of buckets.rkeys()) {
      const bucket = buckets.peek(key);
      if (bucket === undefined || full.length === 2) break;
      if (tokensAt(bucket, now, bucket.limits) < bucket.limits.burst) break;
      full.push(key);
    }
    for (const key of full) buckets.delete(key);
  }

  return {
    take(key, cost, limits) {
      const bucket = filled(key, limits);
      const allowed = cost <= 0 || bucket.tokens >= cost;
      if (allowed) bucket.tokens = Math.min(limits.burst, bucket.tokens - cost);
      return { allowed, remaining: bucket.tokens, resetSeconds: Math.max(0, (1 - bucket.tokens) / limits.perSecond) };
    },
    held: (key, limits) => filled(key, limits).tokens,
    put(key, tokens, limits) {
      filled(key, limits).tokens = Math.min(limits.burst, tokens);
    },
  };
}

/** A clock that is set back neither adds nor removes tokens. */
function tokensAt({ tokens, at }: Bucket, now: EpochMillis, { perSecond, burst }: RateLimits): number {
  return Math.min(burst, tokens + (Math.max(0, now - at) / 1000) * perSecond);
}

/** @throws TypeError for a rate that is not greater than 0, or a burst below 1. @param name of the option in error messages. */
export function checkRate(name: string, limits: RateLimits): RateLimits {
  const { perSecond, burst } = limits;
  if (!(perSecond > 0 && Number.isFinite(perSecond))) throw new TypeError(`${name}.perSecond: must be greater than 0`);
  if (!(burst >= 1 && Number.isFinite(burst))) throw new TypeError(`${name}.burst: must be at least 1`);
  return limits;
}

/** Members that are left out have the defaults of the option. */
export interface Rate {
  /** Sustained calls. */
  readonly perSecond?: number;
  /** Calls at once. */
  readonly burst?: number;
}

/** Logins of a peer. Default 50 a second, 200 at once. */
export type LoginRate = Rate;

/** What an application limits; an option that is left out sets no limit. */
export interface RateOptions {
  /** Logins of a peer, made or tried, before the body is read; `{}` takes the defaults: 50 a second, 200 at once. */
  readonly loginRate?: LoginRate | undefined;
  /** Further calls without a token that was accepted, of a peer; `{}`: 50 a second, 200 at once. */
  readonly peerRate?: Rate | undefined;
  /** Calls with a token that was accepted; `{}`: 200 a second, 1,000 at once. */
  readonly tokenRate?: Rate | undefined;
  /** Where the counts are kept. Default: in memory, for this application. */
  readonly rateLimiter?: RateLimiter | undefined;
}

const PEER: RateLimits = { perSecond: 50, burst: 200 };
const TOKEN: RateLimits = { perSecond: 200, burst: 1000 };

export interface RateGate {
  /** Undefined where the peer may. At once where the limiter does not wait, as all of these. */
  takeLogin(peerAddress: string | undefined): Awaitable<RateVerdict | undefined>;
  /** Before a login: its proof counts as rejected until `returnProof` says otherwise (WIRE-28). */
  takeProof(peerAddress: string | undefined): Awaitable<RateVerdict | undefined>;
  returnProof(peerAddress: string | undefined): Awaitable<unknown>;
  /** For paths that need no token. */
  takeOpen(peerAddress: string | undefined): Awaitable<RateVerdict | undefined>;
  readonly calls: CallRateLimit;
}

/** The rates of an application. @throws TypeError as `checkRate`. */
export function createRateGate(clock: Clock, options: RateOptions): RateGate {
  const { rateLimiter = createMemoryRateLimiter(clock) } = options;
  const login = options.loginRate && checkRate('loginRate', { ...PEER, ...options.loginRate });
  // Each rejected proof may have cost a question to the cloud.
  const proof = login && { perSecond: login.perSecond / 5, burst: Math.max(1, Math.floor(login.burst / 2)) };
  const peer = options.peerRate && checkRate('peerRate', { ...PEER, ...options.peerRate });
  const token = options.tokenRate && checkRate('tokenRate', { ...TOKEN, ...options.tokenRate });
  const refused = (verdict: RateVerdict) => (verdict.allowed ? undefined : verdict);
  const refusalOf = (name: string, peerAddress: string | undefined, limits: RateLimits | undefined) => {
    if (limits === undefined) return undefined;
    const verdict = rateLimiter.take(`${name} ${peerKey(peerAddress)}`, 1, limits);
    return verdict instanceof Promise ? verdict.then(refused) : refused(verdict);
  };
  return {
    takeLogin: (peerAddress) => refusalOf('login', peerAddress, login),
    takeProof: (peerAddress) => refusalOf('proof', peerAddress, proof),
    returnProof: (peerAddress) =>
      proof === undefined ? undefined : rateLimiter.take(`proof ${peerKey(peerAddress)}`, -1, proof),
    takeOpen: (peerAddress) => refusalOf('open', peerAddress, peer),
    calls: createCallRateLimit('auth', rateLimiter, { peer, token }),
  };
}

export interface CallRateLimit {
  /** Counts a call. Undefined where no limit is set. */
  take(caller: RateCaller): Promise<RateVerdict | undefined>;
  /** Records whether the call's token was accepted. */
  recordResult(caller: RateCaller, isKnown: boolean): Promise<void>;
}

export interface RateCaller {
  readonly token: string | undefined;
  readonly peerAddress?: string | undefined;
}

/**
 * Limits calls by caller: a count for each token that was accepted, and one for the peer address of calls with no token or a rejected
 * one, so that made-up tokens get no counts of their own.
 *
 * @param name begins the keys: parts of a host do not share counts.
 */
export function createCallRateLimit(
  name: string,
  limiter: RateLimiter,
  limits: { readonly peer: RateLimits | undefined; readonly token: RateLimits | undefined },
  maxCallers = DEFAULT_MAX_KEYS,
): CallRateLimit {
  if (!(Number.isSafeInteger(maxCallers) && maxCallers >= 1)) throw new TypeError('maxCallers: must be at least 1');
  /** By token, the key of its count: a digest, for a limiter may keep its keys elsewhere. */
  const known = createBoundedCache<string, string>(maxCallers);
  const keyOfPeer = (peerAddress?: string) => `${name}-peer ${peerKey(peerAddress)}`;

  return {
    async take({ token, peerAddress }) {
      const key = token === undefined ? undefined : known.get(token);
      const applied = key === undefined ? limits.peer : limits.token;
      return applied && limiter.take(key ?? keyOfPeer(peerAddress), 1, applied);
    },
    async recordResult({ token, peerAddress }, isKnown) {
      if (token === undefined) return;
      if (!isKnown) {
        known.delete(token);
        return;
      }
      if (known.has(token)) return;
      const key = `${name}-token ${await digestOf(token)}`;
      known.set(token, key);
      // The first call was counted against its peer: the token was not known yet.
      if (limits.peer !== undefined) await limiter.take(keyOfPeer(peerAddress), -1, limits.peer);
      if (limits.token !== undefined) await limiter.take(key, 1, limits.token);
    },
  };
}

async function digestOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** `Retry-After`: whole seconds, at least one. */
export function retryAfterSeconds({ resetSeconds }: RateVerdict): number {
  return Math.max(1, Math.ceil(resetSeconds));
}
