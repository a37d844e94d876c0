/** The one commit of a login (decision R18), and what to make of it when no answer comes. */
import { isStorageError, type Operation, type Version } from '@postern/ports';
import type { AccessListEntry } from '../access-list/entry.js';
import type { CallContext } from '../call.js';
import type { MethodContext } from '../method-context.js';
import type { Role } from '../roles/role.js';
import { type Entry, unchanged } from '../store/collection.js';
import type { IssuedToken } from '../tokens/issue-token.js';

/** What is remembered of the instance, the role under which, and whatever else must still be as it was read. */
export interface Remember {
  readonly instanceId: string;
  readonly role: Entry<Role>;
  readonly stored: Entry<AccessListEntry> | undefined;
  readonly next: AccessListEntry;
  /** Checks only. */
  readonly conditions: readonly Operation[];
}

/**
 * Commits the token with everything that must hold for it, all or nothing.
 *
 * An unknown outcome is looked up: the token's record is there only if the whole commit applied, and only this call
 * knows its text. Without that, an answer lost on the way would lock out an instance that may log in but once.
 *
 * @returns a way to take it all back while nobody has built on it.
 * @throws StorageError like `Storage.commit`; `outcome_unknown` where the record is not there: it may still arrive.
 */
export async function commitGrant(
  { ports, collections }: MethodContext,
  issued: IssuedToken,
  remember: Remember,
  call: CallContext,
): Promise<() => Promise<void>> {
  const { instanceId, role, stored, next, conditions } = remember;
  const { accessList, roles, tokens } = collections;
  const entry = accessList.put(instanceId, next, unchanged(stored), next.expiresAt);
  let version: Version | undefined;
  try {
    const operations = [entry, roles.check(role.id, unchanged(role)), ...conditions, issued.write];
    [version] = (await ports.storage.commit(operations, call)).versions;
  } catch (error) {
    if (!isStorageError(error) || error.code !== 'outcome_unknown') throw error;
    const written = await tokens.get(issued.record.accessor, call).catch(() => undefined);
    if (written?.value.digest !== issued.record.digest) throw error;
  }
  return async () => {
    await ports.storage.commit([tokens.delete(issued.record.accessor, 'any')]);
    // Only the very entry of this login is taken back. Where its version is not known it stays: that lets nobody in.
    if (version === undefined) return;
    const before =
      stored === undefined
        ? accessList.delete(instanceId, { version })
        : accessList.put(instanceId, stored.value, { version }, stored.expiresAt);
    await ports.storage.commit([before]);
  };
}
