/**
 * Read, decide, commit if nothing changed meanwhile; else read and decide again, bounded. Status and history change in one
 * commit or not at all (REG-7). Where a commit's answer was lost, what stands in storage tells whether it applied.
 *
 * Whether the version is still there is asked after its status was read and before the commit that rests on that reading.
 * A deletion takes the version first and writes the status after, so that it either is seen here or has the commit fail:
 * no notice is ever written to a version that is gone, for whoever publishes that number next.
 */
import { type CallOptions, isConflict, isStorageError, type ModuleVersionAddress } from '@postern/ports';
import { RegistryError } from '../errors.js';
import type { HistoryEntry } from '../results.js';
import type { StatusRecord } from '../store/records.js';
import type { Change, StatusStore, StoredStatus } from '../store/status-store.js';
import { type CheckedCommand, type CommandOrigin, decideCommand } from './decide-command.js';
import { REFUSALS } from './refusals.js';

/** Conflicts in a row after which a caller is told to come again. Each means that another process made progress. */
export const MAX_ATTEMPTS = 32;

/** Lost answers in one call after which no more is sent. */
const MAX_UNKNOWN = 3;

export interface Applied {
  /** As read where nothing changed, as written where something did. */
  readonly record: StoredStatus['record'];
  /** What was added to the history; undefined where nothing changed. */
  readonly entry: HistoryEntry | undefined;
}

/**
 * @param requirePresent throws where the version is not there, or where nobody could find out.
 * @throws RegistryError `revoke_not_deprecated`, `reinstate_revoked`, `storage_contended`, `storage_outcome_unknown`.
 * @throws StorageError where storage failed and nothing was changed.
 */
export async function applyCommand(
  store: StatusStore,
  address: ModuleVersionAddress,
  command: CheckedCommand,
  origin: CommandOrigin,
  requirePresent: () => Promise<void>,
  options?: CallOptions,
): Promise<Applied> {
  /** Sent, and nobody said what became of it. */
  let unsure: Change | undefined;
  let lost = 0;
  try {
    for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
      const read = await store.read(address, options);
      if (unsure !== undefined && read.record.seq !== unsure.entry.seq - 1) {
        const fate = await fateOf(store, address, unsure, options);
        if (fate === 'applied') return appliedOf(unsure);
        // A read that is older than others before it tells nothing: deciding on it would forget what was sent.
        if (fate === 'untold') continue;
        unsure = undefined;
      }
      await requirePresent();
      const decision = decideCommand(address, read.record, command, origin);
      if (decision.kind === 'stay') return { record: read.record, entry: undefined };
      if (decision.kind === 'refuse') throw new RegistryError(decision.code, REFUSALS[decision.code]);
      try {
        await store.commit(address, read, decision.change, options);
        return appliedOf(decision.change);
      } catch (error) {
        if (isConflict(error)) continue;
        if (!isStorageError(error) || error.code !== 'outcome_unknown') throw error;
        unsure = decision.change;
        lost += 1;
        if (lost >= MAX_UNKNOWN) throw error;
      }
    }
  } catch (error) {
    throw unsure === undefined ? error : outcomeUnknown(error);
  }
  if (unsure !== undefined) throw outcomeUnknown(undefined);
  throw new RegistryError('storage_contended', 'too many concurrent changes of the same version; try again', {
    retryAfterSeconds: 1,
  });
}

function appliedOf({ record, entry }: Change): { readonly record: StatusRecord; readonly entry: HistoryEntry } {
  return { record, entry };
}

/**
 * What became of a change: an entry with its number is it, or it can no longer apply. Two requests of the same actor with
 * the same id, command and text in the same millisecond could take each other's for theirs: what they asked for stands
 * either way.
 */
async function fateOf(
  store: StatusStore,
  address: ModuleVersionAddress,
  { entry }: Change,
  options: CallOptions | undefined,
): Promise<'applied' | 'superseded' | 'untold'> {
  const [stored] = await store.readHistory(address, [entry.seq], options);
  if (stored === undefined) return 'untold';
  return JSON.stringify(sorted(stored)) === JSON.stringify(sorted(entry)) ? 'applied' : 'superseded';
}

function sorted(entry: HistoryEntry): unknown {
  return Object.entries(entry).sort(([left], [right]) => (left < right ? -1 : 1));
}

function outcomeUnknown(cause: unknown): RegistryError {
  return new RegistryError(
    'storage_outcome_unknown',
    'the storage gave no answer; the change may or may not have happened; repeating the request is safe',
    { cause, retryAfterSeconds: 1 },
  );
}
