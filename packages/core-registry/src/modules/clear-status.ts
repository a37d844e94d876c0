/**
 * Clears the status of a deleted version, so that the next one published under its number starts as active. The history
 * stays and records the deletion. Nothing else moves a revoked version to active: here the blocked bytes are gone.
 */
import { createOptimisticRunner } from '@postern/kernel';
import type { CallOptions, ModuleVersionAddress } from '@postern/ports';
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

/**
 * Call it after the version was deleted. An active version leaves no entry, yet its record is rewritten: a command that read
 * it before the deletion then conflicts at its commit, in whichever process it runs.
 *
 * @param leavesRecord write one even where there was none; without it nothing is added for versions that are all new.
 * @throws RegistryError `storage_contended`
 * @throws StorageError where storage failed; calling again is safe.
 */
export async function clearStatus(
  store: StatusStore,
  address: ModuleVersionAddress,
  origin: CommandOrigin,
  leavesRecord: boolean,
  options?: CallOptions,
): Promise<HistoryEntry | undefined> {
  return runOptimistic(async () => {
    const read = await store.read(address, options);
    const { state, seq } = read.record;
    if (state === 'active') {
      if (leavesRecord || read.version !== undefined) await store.touch(address, read);
      return undefined;
    }
    const entry: HistoryEntry = {
      seq: seq + 1,
      time: origin.time,
      actor: origin.actor,
      requestId: origin.requestId,
      command: 'delete',
      from: state,
      to: 'active',
      reason: null,
      link: null,
      reasonClass: null,
      replacement: null,
      sunsetAt: null,
    };
    const record = { seq: seq + 1, state: 'active', deprecation: null, revocation: null } as const;
    await store.commit(address, read, { record, entry });
    return entry;
  });
}
