/** Read, decide, commit conditionally; on a conflict read and decide again, bounded (architecture: one commit per decision). */
import { isConflict } from '@postern/ports';
import { AuthError } from '../errors.js';

/** Conflicts in a row after which a caller is told to come again. Each means that somebody else made progress. */
export const MAX_ATTEMPTS = 32;

/**
 * Runs `attempt` until it commits. `attempt` must read everything it decides on afresh each time.
 *
 * @throws AuthError `storage_contended` after `MAX_ATTEMPTS` conflicts; whatever else `attempt` throws.
 */
export async function runOptimistic<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  throw new AuthError('storage_contended', 'too many concurrent changes of the same record; try again', {
    retryAfterSeconds: 1,
  });
}
