/**
 * The record of the latest run over one store (TIDY-7): its lease while it runs, its counts then and after. In
 * storage, so that two processes never sweep the same store and any of them can tell how far a run is.
 */
import * as z from 'zod';
import { TIDY_TARGETS } from '../config/records.js';
import { type Collection, createCollection, type RecordStore } from '../store/collection.js';

/** What can be swept: the two lists of TIDY-1, and tokens past their end. */
export const SWEEP_TARGETS = [...TIDY_TARGETS, 'tokens'] as const;
export type SweepTarget = (typeof SWEEP_TARGETS)[number];

/** A run that says nothing for so long is dead: its process is gone. Each page says something. */
export const TIDY_LEASE_MS = 2 * 60 * 1000;

const count = z.number().int().nonnegative();

const tidyRunSchema = z.strictObject({
  /** Random: a run knows its own record by it. */
  runId: z.string(),
  running: z.boolean(),
  /** No other run starts before this instant unless this one has ended. */
  heldUntil: z.number(),
  startedAt: z.number(),
  finishedAt: z.number().optional(),
  safetyBufferSeconds: count,
  examined: count,
  removed: count,
  /** Written anew between being seen and being deleted: they stay. */
  renewed: count,
  /** Could not be read or deleted: they stay until the next run. */
  failed: count,
  /** Of instances that still exist (TIDY-10); absent in records of format 1. */
  kept: count.optional(),
  /** The cloud could not tell whether the instance still exists: they stay. */
  unverified: count.optional(),
  /** A code: why the run ended early. */
  lastError: z.string().optional(),
});

export type TidyRun = Readonly<z.infer<typeof tidyRunSchema>>;
export type TidyCounts = Readonly<
  Record<'examined' | 'removed' | 'renewed' | 'failed' | 'kept' | 'unverified', number>
>;

export const NO_COUNTS: TidyCounts = { examined: 0, removed: 0, renewed: 0, failed: 0, kept: 0, unverified: 0 };

/** By `SweepTarget`: the latest run over each store. */
export function createTidyRuns(context: RecordStore): Collection<TidyRun> {
  return createCollection(context, 'tidy-runs/', tidyRunSchema);
}
