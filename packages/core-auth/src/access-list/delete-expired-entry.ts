/** Tidy's only way to delete (decision R18): an entry that was renewed since it was seen to be expired stays. */
import { type CallOptions, isConflict, type Version } from '@postern/ports';
import type { MethodContext } from '../method-context.js';

/**
 * Deletes the entry if it is still the very version that the caller judged to be expired.
 *
 * @returns whether it was deleted; false when it changed or went away meanwhile.
 * @throws StorageError other than a conflict.
 */
export async function deleteExpiredEntry(
  { ports, collections }: MethodContext,
  instanceId: string,
  version: Version,
  options?: CallOptions,
): Promise<boolean> {
  try {
    await ports.storage.commit([collections.accessList.delete(instanceId, { version })], options);
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
