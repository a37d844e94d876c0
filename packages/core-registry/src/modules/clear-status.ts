/**
 * The end of a version's status when the version itself is deleted: whoever publishes that number again starts afresh. The
 * history stays and tells of it. Nothing else moves a revoked version to active, for the bytes that were blocked are gone.
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
 * To be called once the version is gone. One that was active leaves no entry, yet its record is written anew: a command
 * that read it before the version went then fails at its commit, in whichever process it runs.
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
      if (leavesRecord || read.version !== undefined) await store.touch(address, read, options);
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
    await store.commit(address, read, { record, entry }, options);
    return entry;
  });
}
