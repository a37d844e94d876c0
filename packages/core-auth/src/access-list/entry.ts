/**
 * One entry of the identity access list (ACCESS-2, ACCESS-3): the memory of an instance that logged in, and how a login or
 * renewal changes it. Role and creation never change. An expired entry is treated as missing.
 */

import type { CallOptions, Clock, EpochMillis } from '@postern/ports';
import * as z from 'zod';
import type { Collection, Entry } from '../store/collection.js';

export const accessListEntrySchema = z.strictObject({
  /** Role of the first login; never changes. */
  role: z.string(),
  /** Empty when reauthentication is disallowed. */
  clientNonce: z.string(),
  disallowReauthentication: z.boolean(),
  /** As the document spells it. */
  pendingTime: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Past this instant the entry is as if absent (ACCESS-3). */
  expiresAt: z.number(),
});

export type AccessListEntry = Readonly<z.infer<typeof accessListEntrySchema>>;

export interface RememberedInstance {
  /** What the storage holds, expired or not: what a write must be conditional on. */
  readonly stored: Entry<AccessListEntry> | undefined;
  /** The entry that counts; undefined if there is none or it has expired. */
  readonly entry: AccessListEntry | undefined;
}

export async function findEntry(
  {
    ports,
    collections,
  }: {
    readonly ports: { readonly clock: Clock };
    readonly collections: { readonly accessList: Collection<AccessListEntry> };
  },
  instanceId: string,
  options?: CallOptions,
): Promise<RememberedInstance> {
  const stored = await collections.accessList.get(instanceId, options);
  const counts = stored !== undefined && stored.value.expiresAt > ports.clock.now();
  return { stored, entry: counts ? stored.value : undefined };
}

export interface LoginMark {
  readonly now: EpochMillis;
  readonly lifetimeSeconds: number;
  /** Folded name of the role of this login; counts only for a first one. */
  readonly role: string;
  readonly pendingTime: string;
  readonly disallow: boolean;
  /** Empty when reauthentication is disallowed. */
  readonly clientNonce: string;
}

/** @param before the entry that counts; undefined for a first login. */
export function entryAfterLogin(before: AccessListEntry | undefined, mark: LoginMark): AccessListEntry {
  return {
    role: before?.role ?? mark.role,
    clientNonce: mark.clientNonce,
    disallowReauthentication: mark.disallow,
    pendingTime: mark.pendingTime,
    createdAt: before?.createdAt ?? mark.now,
    updatedAt: mark.now,
    expiresAt: mark.now + mark.lifetimeSeconds * 1000,
  };
}

/** A renewal moves the times of the entry and nothing else. */
export function entryAfterRenewal(before: AccessListEntry, now: EpochMillis, lifetimeSeconds: number): AccessListEntry {
  return { ...before, updatedAt: now, expiresAt: now + lifetimeSeconds * 1000 };
}
