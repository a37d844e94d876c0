/** The one commit of an `ec2` login: token and access-list entry, together or not at all (LOGIN-8). */
import type { Operation } from '@postern/ports';
import type { AccessListEntry } from '../access-list/entry.js';
import type { CallContext } from '../call.js';
import type { MethodContext } from '../method-context.js';
import type { Role } from '../roles/role.js';
import { type Entry, unchanged } from '../store/collection.js';
import type { IssuedToken } from '../tokens/issue-token.js';
import { commitToken, withdrawToken } from './grant-token.js';

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
 * @returns a way to take it all back while nobody has built on it.
 * @throws StorageError like `commitToken`.
 */
export async function commitGrant(
  context: MethodContext,
  issued: IssuedToken,
  remember: Remember,
  call: CallContext,
): Promise<() => Promise<void>> {
  const { instanceId, role, stored, next, conditions } = remember;
  const { ports, collections } = context;
  const { accessList, roles } = collections;
  const entry = accessList.put(instanceId, next, unchanged(stored), next.expiresAt);
  const operations = [entry, roles.check(role.id, unchanged(role)), ...conditions];
  const [version] = await commitToken(context, issued, operations, call);
  return async () => {
    await withdrawToken(context, issued);
    // Only the very entry of this login is taken back. Where its version is not known it stays: that lets nobody in.
    if (version === undefined) return;
    const before =
      stored === undefined
        ? accessList.delete(instanceId, { version })
        : accessList.put(instanceId, stored.value, { version }, stored.expiresAt);
    await ports.storage.commit([before]);
  };
}
