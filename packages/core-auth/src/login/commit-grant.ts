/** The one commit of a login (decision R18), and what to make of it when no answer comes. */
import { isStorageError, type Operation } from '@postern/ports';
import type { CallContext } from '../call.js';
import type { MethodContext } from '../method-context.js';
import type { IssuedToken } from '../tokens/issue-token.js';

/**
 * Commits the token with everything that must hold for it, all or nothing.
 *
 * An unknown outcome is looked up: the token's record is there only if the whole commit applied, and only this call
 * knows its text. Without that, an answer lost on the way would lock out an instance that may log in but once.
 *
 * @throws StorageError like `Storage.commit`; `outcome_unknown` where the record is not there: it may still arrive.
 */
export async function commitGrant(
  { ports, collections }: MethodContext,
  issued: IssuedToken,
  others: readonly Operation[],
  call: CallContext,
): Promise<void> {
  try {
    await ports.storage.commit([...others, issued.write], call);
  } catch (error) {
    if (!isStorageError(error) || error.code !== 'outcome_unknown') throw error;
    const written = await collections.tokens.get(issued.record.accessor, call);
    if (written?.value.digest !== issued.record.digest) throw error;
  }
}
