/**
 * This node's clock against that of the storage (TIDY-11), measured at the start and every 10 seconds, never at a login. In
 * between a clock that nobody sets stands for that of the storage, so that a jump shows at the next call. Where the storage has
 * no clock of its own, jumps of the system clock are logged: nothing else could tell.
 */
import { MAX_LOGIN_SKEW_MS, MAX_SWEEP_SKEW_MS } from '@postern/core-auth';
import type { Clock, ClockGuard, Storage } from '@postern/ports';
import type { Log } from '../log.js';
import type { Refusal } from './readiness.js';

const EVERY_MS = 10_000;
/** A slower answer says too little about the moment at which the other clock was read. */
const MAX_ROUND_TRIP_MS = 10_000;
const MAX_JUMP_MS = 5 * 60_000;

const SKEWED: Refusal = [
  'clock_skewed',
  'the clock of this server differs from the clock of its storage by more than 5 minutes; correct it',
];

export interface ClockWatch {
  /** Undefined where the storage has no clock. */
  readonly guard: ClockGuard | undefined;
  /** For health: undefined while the clocks agree. */
  warning(): string | undefined;
  /** Why logins are refused; undefined while they are not. */
  refusal(): Refusal | undefined;
  stop(): void;
}

export interface ClockWatchOptions {
  readonly everyMs?: number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic?: () => number;
}

/** The first measurement is under way when this returns; `guard.measure()` waits for one. */
export function watchClock(
  storage: Pick<Storage, 'now'>,
  clock: Clock,
  log: Log,
  { everyMs = EVERY_MS, monotonic = () => performance.now() }: ClockWatchOptions = {},
): ClockWatch {
  /** The storage's clock minus the monotonic one. */
  let otherAheadMs: number | undefined;
  let differed = false;
  let underWay: Promise<number | undefined> | undefined;
  let last = { wall: clock.now(), steady: monotonic() };

  async function ask(): Promise<number | undefined> {
    const askedAt = monotonic();
    let other: number | undefined;
    try {
      other = await storage.now?.({ signal: AbortSignal.timeout(MAX_ROUND_TRIP_MS) });
    } catch {
      // The storage is down: what was measured last stands.
    }
    const tookMs = monotonic() - askedAt;
    if (other === undefined || !Number.isFinite(other) || tookMs > MAX_ROUND_TRIP_MS) return undefined;
    otherAheadMs = other + tookMs / 2 - monotonic();
    const by = skewMs();
    if (by !== undefined) tell(by);
    return by;
  }

  function skewMs(): number | undefined {
    return otherAheadMs === undefined ? undefined : Math.round(clock.now() - monotonic() - otherAheadMs);
  }

  function tell(by: number): void {
    const differs = Math.abs(by) > MAX_SWEEP_SKEW_MS;
    if (differs && !differed) {
      log(
        'error',
        "the clock of this server differs from the database's; tidying is off, logins end beyond 5 minutes",
        {
          clock_ahead_seconds: Math.round(by / 1000),
        },
      );
    }
    if (!differs && differed) log('info', "the clock of this server agrees with the database's again");
    differed = differs;
  }

  function measure(): Promise<number | undefined> {
    underWay ??= ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  function noticeJump(): void {
    const now = { wall: clock.now(), steady: monotonic() };
    const jumpMs = now.wall - last.wall - (now.steady - last.steady);
    last = now;
    if (Math.abs(jumpMs) > MAX_JUMP_MS) {
      log('warning', 'the system clock jumped', { seconds: Math.round(jumpMs / 1000) });
    }
  }

  const tick = (): void => {
    noticeJump();
    if (storage.now !== undefined) void measure();
  };
  tick();
  const timer = setInterval(tick, everyMs);
  timer.unref();
  return {
    guard: storage.now === undefined ? undefined : { skewMs, measure },
    warning() {
      const by = skewMs() ?? 0;
      return Math.abs(by) > MAX_SWEEP_SKEW_MS
        ? `the clock of this server is ${describe(by)} the database's; correct it`
        : undefined;
    },
    refusal: () => (Math.abs(skewMs() ?? 0) > MAX_LOGIN_SKEW_MS ? SKEWED : undefined),
    stop: () => clearInterval(timer),
  };
}

function describe(skewMs: number): string {
  return `${Math.abs(Math.round(skewMs / 1000))} s ${skewMs > 0 ? 'ahead of' : 'behind'}`;
}
