/**
 * One entry of the identity access list (ACCESS-2, ACCESS-5): the memory of an instance that logged in, and how a login or
 * renewal changes it. Role and creation never change. It counts until it is deleted or tidied, expired or not: an old
 * document of a running instance must not become a first login again.
 */

import type { EpochMillis } from '@postern/ports';
import * as z from 'zod';

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
  /** From here on tidying may remove the entry. */
  expiresAt: z.number(),
  /** Where tidying asks whether the instance still exists (TIDY-10); absent in entries of format 1. */
  accountId: z.string().optional(),
  region: z.string().optional(),
});

export type AccessListEntry = Readonly<z.infer<typeof accessListEntrySchema>>;

/** Of the instance; undefined while records are written in format 1. */
export type InstancePlace = { readonly accountId: string; readonly region: string } | undefined;

export interface LoginMark {
  readonly now: EpochMillis;
  readonly lifetimeSeconds: number;
  /** Folded name of the role of this login; counts only for a first one. */
  readonly role: string;
  readonly pendingTime: string;
  readonly disallow: boolean;
  /** Empty when reauthentication is disallowed. */
  readonly clientNonce: string;
  readonly place: InstancePlace;
}

/** @param before undefined for a first login. */
export function entryAfterLogin(before: AccessListEntry | undefined, mark: LoginMark): AccessListEntry {
  return {
    role: before?.role ?? mark.role,
    clientNonce: mark.clientNonce,
    disallowReauthentication: mark.disallow,
    pendingTime: mark.pendingTime,
    createdAt: before?.createdAt ?? mark.now,
    updatedAt: mark.now,
    expiresAt: mark.now + mark.lifetimeSeconds * 1000,
    ...mark.place,
  };
}

/** A renewal moves the times of the entry; one of format 1 learns where its instance is. */
export function entryAfterRenewal(
  before: AccessListEntry,
  now: EpochMillis,
  lifetimeSeconds: number,
  place: InstancePlace,
): AccessListEntry {
  return { ...before, updatedAt: now, expiresAt: now + lifetimeSeconds * 1000, ...place };
}
