/**
 * Signatures that have logged in, so that none does twice (STS-14, THREAT-24). STS takes a signed request for 15
 * minutes, whatever expiry it names; within them an observer can send it again. The cache remembers in this process
 * only, a first filter: the commit of a login holds what other processes must know (STS-16).
 *
 * A signature is its own key: the same presigned URL has the same one with any method, headers or spelling.
 */
import type { Clock, EpochMillis } from '@postern/ports';
import { AuthError, unverified } from '../../errors.js';
import type { SignatureFields } from './signature-fields.js';

export interface ReplayCacheOptions {
  readonly clock: Clock;
  /** Age at which a request is refused. Default 900, the age at which STS refuses it. */
  readonly maxAgeSeconds?: number;
  /** By how much the clocks of client, provider and this process may differ. Default 300. */
  readonly skewSeconds?: number;
  /** Signatures remembered at once, about 200 bytes each. Default 100,000. */
  readonly maxSignatures?: number;
}

/** A signature in use: ours until released, or until its window ends. */
export interface ReplayClaim {
  readonly signature: string;
  readonly endsAt: EpochMillis;
  /** The request did not log in: it may be tried again. */
  release(): void;
}

export interface ReplayCache {
  /**
   * Takes a signature for one login; two at once cannot both have it.
   *
   * @throws AuthError `evidence_unverified`, reason `request_replayed`, `request_expired`, `request_from_future`;
   *   `replay_cache_full` where remembering one more would mean forgetting another.
   */
  claim(signature: Pick<SignatureFields, 'signature' | 'signedAt'>): ReplayClaim;
}

/** @throws TypeError where an option is not a positive whole number; a skew may be zero. */
export function createReplayCache(options: ReplayCacheOptions): ReplayCache {
  const { clock, maxAgeSeconds = 900, skewSeconds = 300, maxSignatures = 100_000 } = options;
  for (const [name, value, least] of [
    ['maxAgeSeconds', maxAgeSeconds, 1],
    ['skewSeconds', skewSeconds, 0],
    ['maxSignatures', maxSignatures, 1],
  ] as const) {
    if (!Number.isSafeInteger(value) || value < least) throw new TypeError(`${name}: a whole number from ${least}`);
  }
  const windowMs = (maxAgeSeconds + skewSeconds) * 1000;
  /** When each window ends, in the order claimed. */
  const windows = new Map<string, EpochMillis>();
  let sweepAgainAt = Number.NEGATIVE_INFINITY;

  /** At most once a second: a full cache must not cost a walk through it for every login. */
  function sweep(now: EpochMillis): void {
    if (now < sweepAgainAt) return;
    sweepAgainAt = now + 1000;
    for (const [signature, endsAt] of windows) if (endsAt < now) windows.delete(signature);
  }

  return {
    claim({ signature, signedAt }) {
      const now = clock.now();
      if (now - signedAt > windowMs) throw unverified('request_expired');
      if (signedAt - now > windowMs) throw unverified('request_from_future');
      if (windows.has(signature)) throw unverified('request_replayed');
      if (windows.size >= maxSignatures) sweep(now);
      if (windows.size >= maxSignatures) throw full();
      const endsAt = signedAt + windowMs;
      windows.set(signature, endsAt);
      return {
        signature,
        endsAt,
        release: () => {
          windows.delete(signature);
        },
      };
    },
  };
}

function full(): AuthError {
  return new AuthError('replay_cache_full', 'too many logins at once; try again', { retryAfterSeconds: 60 });
}
