/** What is remembered after a login or renewal (ACCESS-2): role and creation never change, the rest does. */
import type { EpochMillis } from '@postern/ports';
import type { AccessListEntry } from './entry.js';

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
