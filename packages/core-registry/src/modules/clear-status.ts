/**
 * Clears the status of a deleted version, so that the next one published under its number starts as active (PUBLISH-4). The history
 * stays and records the deletion. What was revoked stays revoked: nobody lifts a block by deleting and publishing again (PUBLISH-5).
 */
import { createOptimisticRunner } from '@postern/kernel';
import type { CallOptions, ModuleVersionAddress, Operation } from '@postern/ports';
import { RegistryError } from '../errors.js';
import type { CommandOrigin } from '../lifecycle/decide-command.js';
import type { HistoryEntry } from '../results.js';
import type { StatusStore } from '../store/status-store.js';

const runOptimistic = createOptimisticRunner(
  () =>
    new RegistryError('storage_contended', 'too many concurrent changes of the same version; try again', {
      retryAfterSeconds: 1,
    }),
);

/** What clears a status, for one commit. */
export interface Clearing {
  readonly operations: readonly Operation[];
  /** Added to the history; undefined where the version was active. */
  readonly entry: HistoryEntry | undefined;
}

/**
 * For the commit that deletes the version, or one after it. An active version leaves no entry, yet its record is rewritten: a
 * command that read it before the deletion then conflicts at its commit, in whichever process it runs.
 *
 * @param leavesRecord write one even where there was none; without it nothing is added for versions that are all new.
 * @throws StorageError
 */
export async function decideClearing(
  store: StatusStore,
  address: ModuleVersionAddress,
  origin: CommandOrigin,
  leavesRecord: boolean,
  options: CallOptions,
): Promise<Clearing> {
  const read = await store.read(address, options);
  const { state, seq } = read.record;
  if (state === 'active') {
    const isWritten = leavesRecord || read.version !== undefined;
    return { operations: isWritten ? store.touch(address, read) : [], entry: undefined };
  }
  const isRevoked = state === 'revoked';
  // Of a leftover, or of a number that is published again: the deletion is in the history, or happened elsewhere.
  if (isRevoked && !leavesRecord) return { operations: [], entry: undefined };
  const entry: HistoryEntry = {
    seq: seq + 1,
    time: origin.time,
    actor: origin.actor,
    requestId: origin.requestId,
    command: 'delete',
    from: state,
    to: isRevoked ? state : 'active',
    reason: null,
    link: null,
    reasonClass: null,
    replacement: null,
    sunsetAt: null,
  };
  const { deprecation, revocation } = read.record;
  const record = isRevoked
    ? { seq: seq + 1, state, deprecation, revocation }
    : ({ seq: seq + 1, state: 'active', deprecation: null, revocation: null } as const);
  return { operations: store.change(address, read, { record, entry }), entry };
}

/**
 * Clears the status of a version that is gone already, by a commit of its own.
 *
 * @throws RegistryError `storage_contended`
 * @throws StorageError where storage failed; calling again is safe.
 */
export function clearStatus(
  decide: () => Promise<Clearing>,
  send: (clearing: Clearing) => Promise<unknown>,
): Promise<void> {
  return runOptimistic(async () => {
    const clearing = await decide();
    if (clearing.operations.length > 0) await send(clearing);
  });
}
