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
  /** After each page. False ends the sweep before the next one. */
  readonly goOn: (counts: TidyCounts, isLast: boolean) => Promise<boolean>;
}

/** What became of some entries. */
type Verdicts = Pick<TidyCounts, 'removed' | 'renewed' | 'failed'>;

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
    const sound = page.items.filter((record) => isSound(collection, record, before));
    const broken = page.items.length - sound.length;
    counts = add(counts, { removed: 0, renewed: 0, failed: broken }, page.items.length);
    for (let at = 0; at < sound.length; at += BATCH) {
      counts = add(counts, await deleteRecords({ storage }, sound.slice(at, at + BATCH)));
    }
    after = page.next;
    if (!(await goOn(counts, after === undefined))) return counts;
  } while (after !== undefined);
  return counts;
}

/** A record that cannot be read is for an operator to look at. One that says otherwise than its index is not ours to judge. */
function isSound({ decode, prefix }: Sweep['collection'], record: StoredRecord, before: EpochMillis): boolean {
  try {
    const { expiresAt } = decode(record.key.slice(prefix.length), record.value);
    return expiresAt !== undefined && expiresAt < before;
  } catch {
    return false;
  }
}

/** All in one commit; where something of it was changed meanwhile, one by one. */
export async function deleteRecords(
  ports: Pick<MethodContext['ports'], 'storage'>,
  records: readonly Pick<StoredRecord, 'key' | 'version'>[],
): Promise<Verdicts> {
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

function add(counts: TidyCounts, more: Verdicts, examined = 0): TidyCounts {
  return {
    examined: counts.examined + examined,
    removed: counts.removed + more.removed,
    renewed: counts.renewed + more.renewed,
    failed: counts.failed + more.failed,
  };
}
