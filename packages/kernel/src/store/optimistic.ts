/** Commits against others that write the same records: deciding again after a conflict, looking after a lost answer. */
import { isConflict, isStorageError, type StorageErrorCode } from '@postern/ports';

/** Conflicts in a row after which a call gives up. Each means that another caller made progress. */
export const MAX_ATTEMPTS = 32;

/**
 * Runs `attempt` until it commits. It must read everything that it decides on afresh after each conflict.
 *
 * @param attempt gets the number of conflicts so far: with none, what was read just before still counts.
 */
export type RunOptimistic = <T>(attempt: (conflicts: number) => Promise<T>) => Promise<T>;

/**
 * @param contended the error after `MAX_ATTEMPTS` conflicts. Whatever else `attempt` throws is thrown on.
 */
export function createOptimisticRunner(contended: () => Error): RunOptimistic {
  return async (attempt) => {
    for (let conflicts = 0; conflicts < MAX_ATTEMPTS; conflicts += 1) {
      try {
        return await attempt(conflicts);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
    throw contended();
  };
}

/**
 * Commits; where no answer came, looks whether the commit applied.
 *
 * @param lookUp the result that the commit would have had, where it applied; undefined where it did not, or where that
 *   cannot be told. A look that fails tells nothing.
 * @param codes the failures after which to look. With `conflict`, a commit that repeats one of unknown outcome.
 * @throws the error of `commit` where `lookUp` finds nothing: the commit may still arrive.
 */
export async function resolveUnknownCommit<T>(
  commit: () => Promise<T>,
  lookUp: () => Promise<T | undefined>,
  codes: readonly StorageErrorCode[] = ['outcome_unknown'],
): Promise<T> {
  try {
    return await commit();
  } catch (error) {
    if (!isStorageError(error) || !codes.includes(error.code)) throw error;
    const found = await lookUp().catch(() => undefined);
    if (found === undefined) throw error;
    return found;
  }
}
