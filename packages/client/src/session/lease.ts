/** When a token is used, renewed and given up. Pure: instants in, instants out, in milliseconds of the session's clock. */
import type { Login } from '../login/login.js';

export interface Lease {
  readonly login: Login;
  /** Undefined: without end. */
  readonly expiresAt: number | undefined;
  /** When to do something about it; undefined: never. */
  readonly actAt: number | undefined;
  /** What to do then. */
  readonly next: 'renew' | 'login';
  /** Of the login that this token is from; what its renewals are measured by. Seconds. */
  readonly fullTtlSeconds: number;
}

/** Of the lifetime, give or take `SPREAD`: time for several tries is left, and a fleet that started at once spreads out. */
const PART = 2 / 3;
const SPREAD = 0.05;

/**
 * @param askedAt before the request was sent: the token is not older than that, and may be as old.
 * @param random from 0 to 1
 * @param before the lease that was renewed
 */
export function leaseOf(login: Login, askedAt: number, random: number, before?: Lease): Lease {
  const { ttlSeconds, renewable } = login;
  const fullTtlSeconds = before?.fullTtlSeconds ?? ttlSeconds;
  if (ttlSeconds === 0) return { login, expiresAt: undefined, actAt: undefined, next: 'login', fullTtlSeconds };
  const lifeMs = ttlSeconds * 1_000;
  return {
    login,
    expiresAt: askedAt + lifeMs,
    actAt: askedAt + Math.floor(lifeMs * (PART - SPREAD + 2 * SPREAD * random)),
    // A renewal that gave less than half has met the end of the token: others would give less and less.
    next: renewable && ttlSeconds * 2 >= fullTtlSeconds ? 'renew' : 'login',
    fullTtlSeconds,
  };
}

export function isLive({ expiresAt }: Lease, now: number): boolean {
  return expiresAt === undefined || now < expiresAt;
}

const FIRST_PAUSE_MS = { unavailable: 1_000, refused: 8_000 } as const;
const MAX_PAUSE_MS = 60_000;

/**
 * How long to wait after so many failures in a row (from 1): doubling, from half to all of it by chance; at least what the server
 * asked for. After a refusal longer: it is for people to mend, or for a cloud that does not know a young instance yet.
 */
export function backoffMs(
  failures: number,
  kind: 'unavailable' | 'refused',
  retryAfterSeconds: number | undefined,
  random: number,
): number {
  const ceiling = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS[kind] * 2 ** (failures - 1));
  return Math.ceil(Math.max(ceiling * (0.5 + random / 2), (retryAfterSeconds ?? 0) * 1_000));
}
