/**
 * Can this server do its work? A real write says so (WIRE-22): a full disk, a read-only file system and a broken database still
 * answer reads. Checked every two seconds, so that log, metrics and health show a failure within five, and at a question, at
 * most once a second.
 */
import { type Clock, isStorageError, type Storage, type StorageFault } from '@postern/ports';
import type { Log } from '../log.js';
import { inTime } from './in-time.js';

export type NotReadyCode =
  | 'storage_unavailable'
  | 'storage_full'
  | 'storage_read_only'
  | 'storage_broken'
  | 'clock_skewed'
  | 'record_newer'
  | 'draining';

/** Why a server does no work though its storage answers. The text as in `Readiness.reason`. */
export type Refusal = readonly [code: NotReadyCode, reason: string];

export interface Readiness {
  readonly ready: boolean;
  /** Why not. */
  readonly code?: NotReadyCode;
  /** For people, and for any caller: it names nothing of this installation. */
  readonly reason?: string;
}

export interface ReadinessWatch {
  /** As of a second ago at most. */
  check(): Promise<Readiness>;
  /** As last seen; ready before the first check. */
  last(): Readiness;
  /** From now on it is not ready, so that load balancers send no more. The storage is still checked, for the log. */
  drain(): void;
  stop(): void;
}

/** Written again and again while a server runs. */
export const READINESS_KEY = 'postern/server/readiness';
export const READINESS_EVERY_MS = 2_000;
const FRESH_MS = 1_000;
/** A storage that takes longer counts as unavailable. */
const TIMEOUT_MS = 2_000;
/** Between two log lines about one failure. */
const REPEAT_MS = 60_000;

const READY: Readiness = { ready: true };
const DRAINING = notReady('draining', 'the server is about to stop');

const OF_FAULT: Readonly<Record<StorageFault, Refusal>> = {
  full: ['storage_full', 'the storage is full; free space'],
  read_only: ['storage_read_only', 'the storage cannot be written; make it writable'],
  broken: ['storage_broken', 'the storage is damaged; restore it from a backup'],
};

/** @param refusal tells what else forbids its work; undefined while nothing does. */
export function watchReadiness(
  storage: Pick<Storage, 'commit'>,
  clock: Clock,
  log: Log,
  refusal: () => Refusal | undefined = () => undefined,
  everyMs: number = READINESS_EVERY_MS,
): ReadinessWatch {
  let last = READY;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<Readiness> | undefined;
  let isDraining = false;

  async function ask(): Promise<Readiness> {
    const stored = await write(storage, clock);
    const refused = refusal();
    const found = stored.ready && refused !== undefined ? notReady(...refused) : stored;
    tell(found);
    checkedAt = performance.now();
    last = found;
    return found;
  }

  function tell({ ready, code, reason }: Readiness): void {
    if (ready && !last.ready) log('info', 'ready again', { was: last.code });
    if (ready) return;
    if (code === last.code && performance.now() - loggedAt < REPEAT_MS) return;
    loggedAt = performance.now();
    log('error', 'not ready', { code, reason });
  }

  function check(): Promise<Readiness> {
    if (performance.now() - checkedAt < FRESH_MS) return Promise.resolve(last);
    underWay ??= ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  const timer = setInterval(() => void check(), everyMs);
  timer.unref();
  return {
    check: () => (isDraining ? Promise.resolve(DRAINING) : check()),
    last: () => (isDraining ? DRAINING : last),
    drain() {
      isDraining = true;
    },
    stop: () => clearInterval(timer),
  };
}

async function write(storage: Pick<Storage, 'commit'>, clock: Clock): Promise<Readiness> {
  const value = JSON.stringify({ checkedAt: clock.now() });
  try {
    await inTime(TIMEOUT_MS, (signal) =>
      storage.commit([{ type: 'put', key: READINESS_KEY, value, if: 'any' }], { signal }),
    );
    return READY;
  } catch (error) {
    const fault = isStorageError(error) ? error.fault : undefined;
    const [code, reason] = fault === undefined ? UNAVAILABLE : OF_FAULT[fault];
    return notReady(code, reason);
  }
}

const UNAVAILABLE: Refusal = ['storage_unavailable', 'the storage does not answer'];

function notReady(code: NotReadyCode, reason: string): Readiness {
  return { ready: false, code, reason };
}
