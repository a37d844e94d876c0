/**
 * Who keeps an archive. Versions with the same bytes share a blob, so that deleting one must not take the blob from another
 * that is being published at that moment. A record beside each blob decides: it is written before the blob is (a claim),
 * changed in the commit that adds or removes a version, and says `removing` before the blob goes. Every such write names
 * the record's version, and every removal ends the record's `life`: a publication that finds the life of its claim, and no
 * removal begun, may rely on the blob; any other begins again.
 *
 * A removal is a lease: it deletes within half of `REMOVAL_LEASE_MS` or leaves it to the next sweep, and no publication takes the
 * blob over before that time has passed (by clocks that agree to some seconds). A crash at any step leaves a record that
 * says what to do next.
 */
import { randomUUID } from 'node:crypto';
import { type BlobStore, type EpochMillis, ProviderError, type Version } from '@postern/ports';
import { attempt, backOff, MAX_ATTEMPTS, tooBusy } from './attempts.js';
import { type BlobRecord, type CatalogueContext, decodeBlob, ofStorage } from './records.js';

const REMOVAL_LEASE_MS = 60_000;

export interface BlobClaim {
  readonly key: string;
  readonly digest: string;
  /** Of the record as this claim wrote it. */
  readonly version: Version;
  readonly life: string;
  readonly references: number;
}

/**
 * Claims a blob that is about to be put: from here on no removal can pass unseen.
 *
 * @throws ProviderError `unavailable` while the same bytes are being removed.
 */
export async function claimBlob(context: CatalogueContext, digest: string): Promise<BlobClaim> {
  const key = context.keys.blob(digest);
  let busy = tooBusy();
  for (let made = 0; made < MAX_ATTEMPTS; made += 1) {
    const found = await ofStorage(() => context.storage.get(key));
    const record = found === undefined ? undefined : decodeBlob(key, found.value);
    const now = context.clock.now();
    if (record?.removing !== true || isRemovalAbandoned(record, now)) {
      const life = record === undefined || record.removing ? randomUUID() : record.life;
      const references = record?.removing === true ? 0 : (record?.references ?? 0);
      const value = context.encode({ references, touchedAt: now, life, removing: false });
      const condition = found === undefined ? 'absent' : { version: found.version };
      const { done } = await attempt(['conflict', 'outcome_unknown'], () =>
        context.storage.commit([{ type: 'put', key, value, if: condition }]),
      );
      const version = done?.versions[0];
      if (version !== undefined) return { key, digest, version, life, references };
    } else {
      busy = beingRemoved();
    }
    await backOff(made);
  }
  throw busy;
}

/** Gives a claim up. Where no version has the blob it goes; a later claim stays. */
export async function releaseClaim(context: CatalogueContext, claim: BlobClaim): Promise<void> {
  if (claim.references > 0) return;
  const touchedAt = context.clock.now();
  const value = context.encode({ references: 0, touchedAt, life: claim.life, removing: true });
  const { done } = await attempt(['conflict'], () =>
    context.storage.commit([{ type: 'put', key: claim.key, value, if: { version: claim.version } }]),
  );
  const version = done?.versions[0];
  if (version !== undefined) await finishRemoval(context, claim.digest, version, touchedAt);
}

/** Deletes a blob whose record says `removing` since `markedAt`, then the record. False where the lease is over. */
export async function finishRemoval(
  context: CatalogueContext,
  digest: string,
  version: Version,
  markedAt: EpochMillis,
): Promise<boolean> {
  // Half of the lease: the other half is for this very call to come to an end.
  if (context.clock.now() - markedAt > REMOVAL_LEASE_MS / 2) return false;
  await context.blobs.delete(digest);
  const operation = { type: 'delete', key: context.keys.blob(digest), if: { version } } as const;
  await attempt(['conflict'], () => context.storage.commit([operation]));
  return true;
}

/** Whether a removal was begun by somebody who will not end it. One begun in the future was, by a clock set back since. */
export function isRemovalAbandoned(record: BlobRecord, now: EpochMillis): boolean {
  return record.removing && Math.abs(now - record.touchedAt) >= REMOVAL_LEASE_MS;
}

/** Puts what a claim claims. @throws ProviderError `unavailable` when the store keeps something else. */
export async function putClaimed(
  blobs: BlobStore,
  claim: BlobClaim,
  content: AsyncIterable<Uint8Array>,
  sizeBytes: number,
): Promise<void> {
  const stored = await blobs.put(content, { maxBytes: sizeBytes });
  if (stored.digest === claim.digest) return;
  throw new ProviderError('unavailable', 'the blob store kept other bytes than it was given');
}

function beingRemoved(): ProviderError {
  return new ProviderError('unavailable', 'the same archive is being removed: publish it again', {
    retryAfterSeconds: 2,
  });
}
