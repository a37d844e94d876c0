/** The one way configuration is written: decided on what is stored, stored only if that is still so. */
import type { CallOptions, Operation, Storage } from '@postern/ports';
import { type Collection, runOptimistic, unchanged } from '../store/collection.js';

/**
 * @param decide from the stored value to the new one; called again after a conflict.
 * @param alongside what else belongs into the commit.
 * @throws AuthError `storage_contended`, and whatever `decide` throws, with nothing stored.
 */
export async function updateRecord<T>(
  storage: Storage,
  collection: Collection<T>,
  id: string,
  decide: (stored: T | undefined) => T,
  options: CallOptions,
  alongside: readonly Operation[] = [],
): Promise<void> {
  await runOptimistic(async () => {
    const stored = await collection.get(id, options);
    await storage.commit([collection.put(id, decide(stored?.value), unchanged(stored)), ...alongside], options);
  });
}
