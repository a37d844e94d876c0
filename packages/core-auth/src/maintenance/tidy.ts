/**
 * Tidying (TIDY-6, TIDY-3, TIDY-7): starts runs in the background, by hand or by the hour, and keeps
 * hold of them, so that the host can wait for them before it ends the process. No run ever rejects: its record tells what happened.
 */
import { createUuid } from '@postern/kernel';
import { type EpochMillis, isStorageError } from '@postern/ports';
import type { AccessListEntry } from '../access-list/entry.js';
import type { CallContext, OpenTrail } from '../call.js';
import { clockSkewed, isSweepSafe } from '../clock-skew.js';
import { createConfigReaders } from '../config/config-readers.js';
import { TIDY_TARGETS } from '../config/records.js';
import { isAuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { createExistence } from './instance-existence.js';
import { type TidyLease, takeTidyLease } from './tidy-lease.js';
import {
  createTidyRuns,
  NO_COUNTS,
  SWEEP_TARGETS,
  type SweepTarget,
  type TidyCounts,
  type TidyRun,
} from './tidy-run.js';
import { addCounts, type Sweep, sweepExpired } from './tidy-sweep.js';

/** Past their end, tokens are kept for so long: clocks of nodes differ (TIDY-11). */
const TOKEN_BUFFER_SECONDS = 60 * 60;

/** Between two periodic runs of a process. */
const TIDY_INTERVAL_MS = 60 * 60 * 1000;

export interface Tidy {
  /**
   * Starts a run in the background.
   *
   * @returns false while a run over this store goes on, here or elsewhere: nothing was started.
   * @throws StorageError where the storage cannot tell; AuthError `clock_skewed`.
   */
  start(target: SweepTarget, how: SweepSettings): Promise<boolean>;
  /**
   * What is due is swept: at the first call, then an hour after the last time. Resolves when that is done.
   *
   * @throws StorageError, AuthError `internal` where settings or the latest run cannot be read, `clock_skewed` where the
   *   clock cannot be trusted: the next call tries again.
   */
  runPeriodic(): Promise<void>;
  /** The latest run over each store, as storage has it; undefined where there was none. */
  latest(call: CallContext): Promise<ReadonlyMap<SweepTarget, TidyRun | undefined>>;
  /** Waits for every run that goes on in this process. */
  settled(): Promise<void>;
  /** Ends runs at their next page, waits for them, and starts no more. */
  close(): Promise<void>;
}

export interface SweepSettings {
  readonly safetyBufferSeconds: number;
  /** Of the access list: entries of instances that still exist stay (TIDY-10). Default true. */
  readonly keepExistingInstances?: boolean | undefined;
}

/** Ends a run early: the process wants to end, or another run has taken over after this one was thought dead. */
type Ended = 'stopped' | 'lease_lost';

export function createTidy(context: MethodContext, openTrail: OpenTrail): Tidy {
  const { ports, collections } = context;
  const readers = createConfigReaders(collections);
  const tidyRuns = createTidyRuns(context);
  const running = new Set<Promise<void>>();
  let lastPeriodicAt: number | undefined;
  let closed = false;

  async function run(target: SweepTarget, how: SweepSettings, lease: TidyLease, startedAt: EpochMillis): Promise<void> {
    let counted: TidyCounts = NO_COUNTS;
    let ended: Ended | undefined;
    let failure: string | undefined;
    try {
      for (const collection of collectionsOf(context, target)) {
        const before = counted;
        await sweepExpired(context, {
          collection,
          before: startedAt - how.safetyBufferSeconds * 1000,
          judge:
            target === 'identity-accesslist' && how.keepExistingInstances !== false ? keepExisting(context) : undefined,
          goOn: async (counts, isLast) => {
            counted = addCounts(before, counts, counts.examined);
            // The end says it all.
            if (isLast) return true;
            if (!(await lease.report(counted))) ended = 'lease_lost';
            else if (closed) ended = 'stopped';
            return ended === undefined;
          },
        });
        if (ended !== undefined) break;
      }
    } catch (error) {
      failure = codeOf(error);
    }
    if (ended === 'lease_lost') return;
    // Where even this cannot be written the lease runs out, and the next run starts from what is left.
    await lease.finish(counted, failure ?? ended).catch(() => undefined);
  }

  /** The run in a box: a promise of a promise would wait for its end. */
  async function start(target: SweepTarget, how: SweepSettings): Promise<{ end?: Promise<void> }> {
    if (closed) return {};
    // Read before it is judged: the clock may be set in the middle of a run.
    const startedAt = ports.clock.now();
    if (!(await isSweepSafe(context))) throw clockSkewed();
    const trail = openTrail('tidy.run', { requestId: createUuid(ports.crypto), peerAddress: undefined });
    trail.annotate({ principal: 'host', details: { target, safety_buffer: String(how.safetyBufferSeconds) } });
    const lease = await takeTidyLease(context, target, how.safetyBufferSeconds, trail.commit);
    if (lease === undefined) return {};
    const end = run(target, how, lease, startedAt).finally(() => running.delete(end));
    running.add(end);
    return { end };
  }

  async function sweepDue(): Promise<void> {
    const lists = await Promise.all(
      TIDY_TARGETS.map(async (target) => ({ target, config: await readers.tidy(target) })),
    );
    for (const { target, config } of lists) {
      if (!config.disablePeriodicTidy) await (await start(target, config)).end;
    }
    await (await start('tokens', { safetyBufferSeconds: TOKEN_BUFFER_SECONDS })).end;
  }

  async function settled(): Promise<void> {
    while (running.size > 0) await Promise.all(running);
  }

  return {
    settled,
    start: async (target, how) => {
      const { end } = await start(target, how);
      return end !== undefined;
    },
    async runPeriodic() {
      const now = ports.clock.now();
      // A clock that was set back does not put the next run off.
      if (lastPeriodicAt !== undefined && now >= lastPeriodicAt && now - lastPeriodicAt < TIDY_INTERVAL_MS) return;
      lastPeriodicAt = now;
      try {
        await sweepDue();
      } catch (error) {
        lastPeriodicAt = undefined;
        throw error;
      }
    },
    async latest(call) {
      const runs = await Promise.all(SWEEP_TARGETS.map((target) => tidyRuns.get(target, call)));
      return new Map(SWEEP_TARGETS.map((target, at) => [target, runs[at]?.value]));
    },
    async close() {
      closed = true;
      await settled();
    },
  };
}

const VERDICTS = { gone: 'goes', exists: 'kept', unknown: 'unverified' } as const;

/** For one run over the access list. */
function keepExisting({ ports }: MethodContext): Sweep['judge'] {
  const existence = createExistence(ports.cloud);
  return async (entries) => {
    const instances = entries.map(({ id, value }) => ({ instanceId: id, ...(value as Partial<AccessListEntry>) }));
    return (await existence(instances)).map((answer) => VERDICTS[answer]);
  };
}

function collectionsOf({ collections }: MethodContext, target: SweepTarget): readonly Sweep['collection'][] {
  switch (target) {
    case 'identity-accesslist':
      return [collections.accessList];
    case 'roletag-denylist':
      return [collections.denyList];
    case 'tokens':
      return [collections.tokens, collections.usedRequests];
  }
}

/** Only ever a code: what a storage says in words may hold keys. */
function codeOf(error: unknown): string {
  return isAuthError(error) || isStorageError(error) ? error.code : 'internal';
}
