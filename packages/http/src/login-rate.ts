/**
 * How often one peer may try to log in (WIRE-18, THREAT-35): a token bucket for every address, an IPv6 one by its /64, because
 * whoever has one address of such a network has them all. The table of buckets is bounded.
 */
import type { Clock } from '@postern/ports';

export interface LoginRate {
  /** What a peer may do in the long run. Default 50. */
  readonly perSecond?: number;
  /** What it may do at once. Default 200. */
  readonly burst?: number;
  /** Peers remembered; beyond, those that asked longest ago are forgotten. Default 100,000. */
  readonly maxPeers?: number;
}

export interface LoginRateLimit {
  /**
   * Counts an attempt.
   *
   * @param peerAddress undefined: not known; all of those share one bucket.
   * @returns undefined where it may go on.
   */
  take(peerAddress: string | undefined): LoginRateRefusal | undefined;
}

export interface LoginRateRefusal {
  /** Whole seconds until it may try again. */
  readonly retryAfterSeconds: number;
  /**
   * At the first refusal since the peer was last let through, which is the one to tell of: how many there were before it
   * that nobody was told of. A flood must not fill the audit log, so that it has at most as many of these events as of
   * attempts that were let through.
   */
  readonly untold: number | undefined;
}

interface Bucket {
  tokens: number;
  /** When `tokens` was true. */
  at: number;
  isRefusing: boolean;
  untold: number;
}

/** @throws TypeError for rates that are not above zero, or below one attempt. */
export function createLoginRateLimit(clock: Clock, rate: LoginRate = {}): LoginRateLimit {
  const { perSecond = 50, burst = 200, maxPeers = 100_000 } = rate;
  if (!(perSecond > 0 && Number.isFinite(perSecond))) throw new TypeError('loginRate.perSecond: above zero');
  if (!(burst >= 1 && Number.isFinite(burst))) throw new TypeError('loginRate.burst: 1 or more');
  if (!(Number.isSafeInteger(maxPeers) && maxPeers >= 1)) throw new TypeError('loginRate.maxPeers: 1 or more');
  // In the order of their last attempt: a Map keeps the order of insertion.
  const buckets = new Map<string, Bucket>();
  return {
    take(peerAddress) {
      const key = peerAddress === undefined ? '' : peerKey(peerAddress);
      const now = clock.now();
      const known = buckets.get(key) ?? { tokens: burst, at: now, isRefusing: false, untold: 0 };
      // A clock that is set back gives nothing and takes nothing.
      const gained = (Math.max(0, now - known.at) / 1000) * perSecond;
      const tokens = Math.min(burst, known.tokens + gained);
      const allowed = tokens >= 1;
      buckets.delete(key);
      const { isRefusing } = known;
      const untold = allowed ? known.untold : isRefusing ? known.untold + 1 : 0;
      buckets.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now, isRefusing: !allowed, untold });
      for (const oldest of buckets.keys()) {
        if (buckets.size <= maxPeers) break;
        buckets.delete(oldest);
      }
      if (allowed) return undefined;
      const retryAfterSeconds = Math.max(1, Math.ceil((1 - tokens) / perSecond));
      return { retryAfterSeconds, untold: isRefusing ? undefined : known.untold };
    },
  };
}

/** An IPv4 address as it is, mapped into IPv6 or not; of an IPv6 address the first 64 bits. */
export function peerKey(address: string): string {
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
