/**
 * At most one run a store, in this process and in all others (TIDY-5): the right to sweep is a conditional write
 * that ends by the Clock, so that a process that dies does not block others for long.
 */

import { createUuid } from '@postern/kernel';
import { isStorageError, type Version } from '@postern/ports';
import type { CommitEffect } from '../call.js';
import type { MethodContext } from '../method-context.js';
import {
  createTidyRuns,
  NO_COUNTS,
  type SweepTarget,
  TIDY_LEASE_MS,
  type TidyCounts,
  type TidyRun,
} from './tidy-run.js';

/** How often one write is tried where the storage reports a false conflict. */
const MAX_TRIES = 8;

/** The right to sweep one store. */
export interface TidyLease {
  /** Writes how far the run is and holds the lease for longer. @returns false where another run has taken over. */
  report(counts: TidyCounts): Promise<boolean>;
  /** Writes the end of the run, and gives the lease back. Without an error the run saw everything that was expired. */
  finish(counts: TidyCounts, lastError: string | undefined): Promise<void>;
}

/**
 * @returns undefined while another run holds the store.
 * @throws StorageError; AuthError `internal` where the record of the latest run cannot be read.
 */
export async function takeTidyLease(
  context: MethodContext,
  target: SweepTarget,
  safetyBufferSeconds: number,
  commitEffect: CommitEffect,
): Promise<TidyLease | undefined> {
  const { storage, clock, crypto } = context.ports;
  const tidyRuns = createTidyRuns(context);
  let run: TidyRun | undefined;
  let version: Version | undefined;

  /**
   * What the record is by now: this run's own writes have their answers lost, and storages that only suspect a conflict
   * refuse them.
   *
   * @returns whether `next` stands there.
   */
  async function write(wanted: TidyRun, commit: CommitEffect): Promise<boolean> {
    const next = context.options.recordFormat() > 1 ? wanted : inFormat1(wanted);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const condition = version === undefined ? 'absent' : { version };
      try {
        version = (await commit([tidyRuns.put(target, next, condition)])).versions[0];
        run = next;
        return true;
      } catch (error) {
        if (!isStorageError(error) || (error.code !== 'conflict' && error.code !== 'outcome_unknown')) throw error;
        const stored = await tidyRuns.get(target);
        if (stored !== undefined && isSame(stored.value, next)) {
          version = stored.version;
          run = next;
          return true;
        }
        if (stored?.version !== version) return false;
      }
    }
    return false;
  }

  const now = clock.now();
  const latest = await tidyRuns.get(target);
  if (latest !== undefined && isHeld(latest.value, now)) return undefined;
  version = latest?.version;
  const first: TidyRun = {
    runId: createUuid(crypto),
    running: true,
    heldUntil: now + TIDY_LEASE_MS,
    startedAt: now,
    safetyBufferSeconds,
    ...NO_COUNTS,
  };
  // What the run will delete is said before it does, what it did with its end (AUDIT-6).
  if (!(await write(first, (operations) => commitEffect(operations, { intent: true })))) return undefined;
  return {
    report: (counts) =>
      write({ ...(run ?? first), ...counts, heldUntil: clock.now() + TIDY_LEASE_MS }, (operations) =>
        storage.commit(operations),
      ),
    async finish(counts, lastError) {
      const end = clock.now();
      const ended = { ...(run ?? first), ...counts, running: false, heldUntil: end, finishedAt: end };
      const last = lastError === undefined ? ended : { ...ended, lastError };
      await write(last, (operations) => commitEffect(operations, { facts: { details: countDetails(last) } }));
    },
  };
}

function countDetails({ removed, renewed, failed, lastError }: TidyRun): Readonly<Record<string, string>> {
  const counts = { removed: String(removed), renewed: String(renewed), failed: String(failed) };
  return lastError === undefined ? counts : { ...counts, error: lastError };
}

/** What a node that knows no more than format 1 can read (STORE-5). */
function inFormat1({ kept: _kept, unverified: _unverified, ...run }: TidyRun): TidyRun {
  return run;
}

/** Whether one's own write came through. A run never writes the same twice but where nothing has changed. */
function isSame(stored: TidyRun, next: TidyRun): boolean {
  return JSON.stringify(stored) === JSON.stringify(next);
}

/** Whether a run still goes on. One whose lease has ended does not, whatever its record says. */
export function isHeld(run: TidyRun, now: number): boolean {
  return run.running && now < run.heldUntil;
}
