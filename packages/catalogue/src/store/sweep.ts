/**
 * Ends what crashes left: removals that were begun and not ended, claims of publications that never came to their commit,
 * and blobs that no record knows. The last two may belong to a publication under way, so they go only after `minimumAgeMs`.
 * Counts again what organizations keep.
 */
import { randomUUID } from 'node:crypto';
import type { StoredRecord } from '@postern/ports';
import { sweepSpooled } from '../archive/spool.js';
import { finishRemoval, isRemovalAbandoned } from './blob-claims.js';
import { attempt, type CatalogueContext, decodeBlob, ofStorage, pagesOf } from './records.js';
import { recountUsages } from './usage.js';

export interface SweepResult {
  /** Archives deleted. */
  readonly removed: number;
  /** Archives that no version names, noted now: a sweep after `minimumAgeMs` removes them. */
  readonly noted: number;
  /** Archives whose removal failed; the next sweep tries again. */
  readonly failed: number;
}

export const DEFAULT_MINIMUM_AGE_MS = 60 * 60 * 1000;

const PAGE = 100;

export async function sweepUnreferenced(context: CatalogueContext, minimumAgeMs: number): Promise<SweepResult> {
  const counts = { removed: 0, noted: 0, failed: 0 };
  for await (const records of pagesOf(context, context.keys.blobs, { limit: PAGE })) {
    for (const record of records) {
      const outcome = await sweepRecord(context, record, minimumAgeMs).catch(() => 'failed' as const);
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
  await sweepSpooled(context.scratchFolder, context.clock.now() - minimumAgeMs);
  return counts;
}

async function sweepRecord(
  context: CatalogueContext,
  stored: StoredRecord,
  minimumAgeMs: number,
): Promise<'removed' | 'failed' | 'kept'> {
  const record = decodeBlob(stored.key, stored.value);
  const now = context.clock.now();
  const isUnused = !record.removing && record.references === 0 && now - record.touchedAt >= minimumAgeMs;
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
