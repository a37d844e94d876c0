/**
 * What a node with a wrong clock must not do (TIDY-11). One that is ahead would remove tokens that other nodes still accept
 * and admit a second nonce; one that is behind would accept what has expired.
 */
import type { EpochMillis } from '@postern/ports';
import { AuthError } from './errors.js';
import type { MethodContext } from './method-context.js';

/** Beyond it nothing is removed for its age. */
export const MAX_SWEEP_SKEW_MS = 30_000;
/** Beyond it no login, and no verdict on a token that expires. */
export const MAX_LOGIN_SKEW_MS = 5 * 60_000;

type Guarded = { readonly ports: Pick<MethodContext['ports'], 'clockGuard'> };

/** Measured anew: what is removed does not come back. A difference that is not known counts as one. */
export async function isSweepSafe({ ports }: Guarded): Promise<boolean> {
  if (ports.clockGuard === undefined) return true;
  const skewMs = await ports.clockGuard.measure();
  return skewMs !== undefined && Math.abs(skewMs) <= MAX_SWEEP_SKEW_MS;
}

/** As the guard knows it without asking: a login waits for no further round trip. */
export function requireTrustedClock({ ports }: Guarded): void {
  const skewMs = ports.clockGuard?.skewMs() ?? 0;
  if (Math.abs(skewMs) > MAX_LOGIN_SKEW_MS) throw clockSkewed();
}

/** The time that a lifetime begins at: judged after it was read, for the clock may be set in the middle of a call. */
export function trustedNow(context: {
  readonly ports: Pick<MethodContext['ports'], 'clock' | 'clockGuard'>;
}): EpochMillis {
  const now = context.ports.clock.now();
  requireTrustedClock(context);
  return now;
}

/**
 * Whether a token's end has come. A call reads its token more than once, and the clock may be set in between.
 *
 * @throws AuthError `clock_skewed` where it has, by a clock that cannot tell.
 */
export function hasEnded(
  context: Guarded & { readonly ports: Pick<MethodContext['ports'], 'clock'> },
  expiresAt: EpochMillis | undefined,
): boolean {
  if (expiresAt === undefined || expiresAt > context.ports.clock.now()) return false;
  requireTrustedClock(context);
  return true;
}

export function clockSkewed(): AuthError {
  return new AuthError(
    'clock_skewed',
    "the clock of this server differs from the storage's; use another server, and correct its clock",
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

/** The server measures every 10 seconds. */
const RETRY_AFTER_SECONDS = 10;
