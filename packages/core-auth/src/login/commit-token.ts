/** The one commit of a login, whatever else is in it (LOGIN-8), and what to make of it when no answer comes. */
import { isStorageError, type Operation, type Version } from '@postern/ports';
import type { CallContext } from '../call.js';
import type { MethodContext } from '../method-context.js';
import type { IssuedToken } from '../tokens/issue-token.js';

/**
 * Commits operations with the record of a token, all or nothing.
 *
 * An unknown outcome is looked up: the token's record is there only if the whole commit applied, and only this call
 * knows its text. Without that, an answer lost on the way would lock out an instance that may log in but once.
 *
 * @returns the new versions in the order of `operations`; none where the commit applied and its answer was lost.
 * @throws StorageError like `Storage.commit`; `outcome_unknown` where the record is not there: it may still arrive.
 */
export async function commitToken(
  { ports, collections }: MethodContext,
  issued: IssuedToken,
  operations: readonly Operation[],
  call: CallContext,
): Promise<readonly (Version | undefined)[]> {
  try {
    return (await ports.storage.commit(issued.write === undefined ? operations : [...operations, issued.write], call))
      .versions;
  } catch (error) {
    // Of a batch token nothing is stored that could tell.
    if (!isStorageError(error) || error.code !== 'outcome_unknown' || issued.write === undefined) throw error;
    const written = await collections.tokens.get(issued.record.accessor, call).catch(() => undefined);
    if (written?.value.digest !== issued.record.digest) throw error;
    return [];
  }
}

/** Takes back the record of a token that its client was never told; of a batch token there is none. */
export async function withdrawToken({ ports, collections }: MethodContext, issued: IssuedToken): Promise<void> {
  if (issued.write === undefined) return;
  await ports.storage.commit([collections.tokens.delete(issued.record.accessor, 'any')]);
}
