/**
 * Removes what is long expired from one store (TIDY-4, ACCESS-6, TIDY-8): in pages of an
 * index by expiry, so that the cost follows the expired; each deletion only of the very version that was judged.
 */
import { type EpochMillis, type ExpiredPosition, isConflict, isStorageError, type StoredRecord } from '@postern/ports';
import type { MethodContext } from '../method-context.js';
import type { Collection } from '../store/collection.js';
import { NO_COUNTS, type TidyCounts } from './tidy-run.js';

/** Entries between two reports. */
export const TIDY_PAGE = 500;
/** Deletions in a commit: what every storage takes. */
const BATCH = 25;

export interface Sweep {
  readonly collection: Pick<Collection<{ readonly expiresAt?: EpochMillis | undefined }>, 'prefix' | 'decode'>;
  /** What expired strictly before this instant goes. */
  readonly before: EpochMillis;
  /** Which of some entries stay although they expired; without it, none. */
  readonly judge?: ((entries: readonly Expired[]) => Promise<readonly ExpiryVerdict[]>) | undefined;
  /** After each page. False ends the sweep before the next one. */
  readonly goOn: (counts: TidyCounts, isLast: boolean) => Promise<boolean>;
}

/** An expired record, as it was decoded. */
export interface Expired {
  readonly id: string;
  readonly value: object;
}

/** `kept` and `unverified` stay; each is counted. */
export type ExpiryVerdict = 'goes' | 'kept' | 'unverified';

/** What became of some entries. */
type Verdicts = Partial<Omit<TidyCounts, 'examined'>>;

/**
 * @throws StorageError where pages cannot be read, or the storage is closed. What was counted until then has been told
 *   to `goOn`.
 */
export async function sweepExpired({ ports }: MethodContext, sweep: Sweep): Promise<TidyCounts> {
  const { collection, before, goOn } = sweep;
  const { storage } = ports;
  let counts = NO_COUNTS;
  let after: ExpiredPosition | undefined;
  do {
    const page = await storage.listExpired(collection.prefix, before, { after, limit: TIDY_PAGE });
    const sound = page.items.flatMap((record) => readExpired(collection, record, before));
    counts = addCounts(counts, { failed: page.items.length - sound.length }, page.items.length);
    const verdicts = await sweep.judge?.(sound.map(({ expired }) => expired));
    const count = (verdict: ExpiryVerdict) => verdicts?.filter((one) => one === verdict).length ?? 0;
    counts = addCounts(counts, { kept: count('kept'), unverified: count('unverified') });
    const going = sound.flatMap(({ record }, at) => ((verdicts?.[at] ?? 'goes') === 'goes' ? [record] : []));
    for (let at = 0; at < going.length; at += BATCH) {
      counts = addCounts(counts, await deleteRecords({ storage }, going.slice(at, at + BATCH)));
    }
    after = page.next;
    if (!(await goOn(counts, after === undefined))) return counts;
  } while (after !== undefined);
  return counts;
}

/** Nothing, where a record cannot be read: that is for an operator to look at. Nor where it says otherwise than its index. */
function readExpired(
  { decode, prefix }: Sweep['collection'],
  record: StoredRecord,
  before: EpochMillis,
): readonly { readonly record: StoredRecord; readonly expired: Expired }[] {
  try {
    const id = record.key.slice(prefix.length);
    const value = decode(id, record.value);
    const { expiresAt } = value;
    return expiresAt !== undefined && expiresAt < before ? [{ record, expired: { id, value } }] : [];
  } catch {
    return [];
  }
}

/** All in one commit; where something of it was changed meanwhile, one by one. */
export async function deleteRecords(
  ports: Pick<MethodContext['ports'], 'storage'>,
  records: readonly Pick<StoredRecord, 'key' | 'version'>[],
): Promise<Pick<TidyCounts, 'removed' | 'renewed' | 'failed'>> {
  const none = { removed: 0, renewed: 0, failed: 0 };
  try {
    await ports.storage.commit(records.map(({ key, version }) => ({ type: 'delete' as const, key, if: { version } })));
    return { ...none, removed: records.length };
  } catch (error) {
    if (!isConflict(error)) {
      if (isStorageError(error) && error.code === 'closed') throw error;
      // Whether it applied or not: the next run sees what is left.
      return { ...none, failed: records.length };
    }
    if (records.length === 1) return { ...none, renewed: 1 };
  }
  let verdicts = none;
  for (const record of records) {
    const one = await deleteRecords(ports, [record]);
    verdicts = {
      removed: verdicts.removed + one.removed,
      renewed: verdicts.renewed + one.renewed,
      failed: verdicts.failed + one.failed,
    };
  }
  return verdicts;
}

export function addCounts(counts: TidyCounts, more: Verdicts, examined = 0): TidyCounts {
  const { removed = 0, renewed = 0, failed = 0, kept = 0, unverified = 0 } = more;
  return {
    examined: counts.examined + examined,
    removed: counts.removed + removed,
    renewed: counts.renewed + renewed,
    failed: counts.failed + failed,
    kept: counts.kept + kept,
    unverified: counts.unverified + unverified,
  };
}
