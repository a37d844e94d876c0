/**
 * Ends what crashes left: removals that were begun and not ended, claims of publications that never came to their commit,
 * and blobs that no record knows. The last two may belong to a publication under way, so they go only after `minimumAgeMs`.
 * Counts again what organizations keep.
 */
import { randomUUID } from 'node:crypto';
import type { EpochMillis, StoredRecord } from '@postern/ports';
import { sweepSpooled } from '../archive/spool.js';
import { attempt } from './attempts.js';
import { finishRemoval, isRemovalAbandoned } from './blob-claims.js';
import { type CatalogueContext, decodeBlob, ofStorage, pagesOf } from './records.js';
import { recountUsages } from './usage.js';

export interface SweepResult {
  /** Archives deleted. */
  readonly removed: number;
  /** Archives that no version names, noted now: a sweep after `minimumAgeMs` removes them. */
  readonly noted: number;
  /** Archives whose removal failed; the next sweep tries again. */
  readonly failed: number;
}

export interface SweepOptions {
  /** How long nothing must have happened to an archive; longer than any upload takes. Default one hour. */
  readonly minimumAgeMs?: number | undefined;
  /**
   * What nothing has happened to since this instant is swept too, whatever its age: for the start of a process that is alone with its
   * storage and folder, while it publishes already.
   */
  readonly leftBefore?: EpochMillis | undefined;
}

const DEFAULT_MINIMUM_AGE_MS = 60 * 60 * 1000;

/** How far the times of files are behind the clock. */
const FILE_TIME_MS = 20;

const PAGE = 100;

/** See `HostedCatalogue.sweepUnreferenced`. */
export async function sweepUnreferenced(
  context: CatalogueContext,
  { minimumAgeMs = DEFAULT_MINIMUM_AGE_MS, leftBefore = Number.NEGATIVE_INFINITY }: SweepOptions = {},
): Promise<SweepResult> {
  const isOld = (touchedAt: EpochMillis) => touchedAt < leftBefore || context.clock.now() - touchedAt >= minimumAgeMs;
  const counts = { removed: 0, noted: 0, failed: 0 };
  for await (const records of pagesOf(context, context.keys.blobs, { limit: PAGE })) {
    for (const record of records) {
      const outcome = await sweepRecord(context, record, isOld).catch(() => 'failed' as const);
      if (outcome !== 'kept') counts[outcome] += 1;
    }
  }
  for await (const digest of unknownBlobs(context)) {
    const value = context.encode({
      references: 0,
      touchedAt: context.clock.now(),
      life: randomUUID(),
      removing: false,
    });
    const operation = { type: 'put', key: context.keys.blob(digest), value, if: 'absent' } as const;
    const { done } = await attempt(['conflict'], () => context.storage.commit([operation]));
    if (done !== undefined) counts.noted += 1;
  }
  await recountUsages(context);
  const lastWritten = Math.max(context.clock.now() - minimumAgeMs, leftBefore - FILE_TIME_MS);
  await sweepSpooled(context.scratchFolder, lastWritten);
  return counts;
}

async function sweepRecord(
  context: CatalogueContext,
  stored: StoredRecord,
  isOld: (touchedAt: EpochMillis) => boolean,
): Promise<'removed' | 'failed' | 'kept'> {
  const record = decodeBlob(stored.key, stored.value);
  const now = context.clock.now();
  const isUnused = !record.removing && record.references === 0 && isOld(record.touchedAt);
  if (!isUnused && !isRemovalAbandoned(record, now)) return 'kept';
  const value = context.encode({ references: 0, touchedAt: now, life: record.life, removing: true });
  const { done } = await attempt(['conflict'], () =>
    context.storage.commit([{ type: 'put', key: stored.key, value, if: { version: stored.version } }]),
  );
  const version = done?.versions[0];
  // Somebody claimed it, or sweeps too.
  if (version === undefined) return 'kept';
  const digest = stored.key.slice(context.keys.blobs.length);
  return (await finishRemoval(context, digest, version, now)) ? 'removed' : 'failed';
}

/** Blobs without a record: every publication writes the record first. */
async function* unknownBlobs(context: CatalogueContext): AsyncGenerator<string, void, undefined> {
  let after: string | undefined;
  do {
    const page = await context.blobs.list({ after, limit: PAGE });
    const records = await ofStorage(() => context.storage.getMany(page.digests.map(context.keys.blob)));
    for (const [index, digest] of page.digests.entries()) if (records[index] === undefined) yield digest;
    after = page.next;
  } while (after !== undefined);
}
