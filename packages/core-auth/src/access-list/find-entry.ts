/** What is remembered of an instance, judged by the clock: past its expiration an entry is as if absent (ACCESS-3). */
import type { CallOptions } from '@postern/ports';
import type { MethodContext } from '../method-context.js';
import type { Entry } from '../store/collection.js';
import type { AccessListEntry } from './entry.js';

export interface RememberedInstance {
  /** What the storage holds, expired or not: what a write must be conditional on. */
  readonly stored: Entry<AccessListEntry> | undefined;
  /** The entry that counts; undefined where there is none or it has expired. */
  readonly entry: AccessListEntry | undefined;
}

export async function findEntry(
  { ports, collections }: MethodContext,
  instanceId: string,
  options?: CallOptions,
): Promise<RememberedInstance> {
  const stored = await collections.accessList.get(instanceId, options);
  const counts = stored !== undefined && stored.value.expiresAt > ports.clock.now();
  return { stored, entry: counts ? stored.value : undefined };
}
