/**
 * One entry of the identity access list (ACCESS-2, ACCESS-5): the memory of an instance that logged in, how a login or renewal
 * changes it, and whether it admits the next login: the nonce and pendingTime table (NONCE-1 to NONCE-7). Role and creation never
 * change. It counts until it is deleted or tidied, expired or not: an old document of a running instance must not become a first
 * login again. Pure.
 */

import { encodeUtf8, equalConstantTime, parseRfc3339 } from '@postern/kernel';
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

/** UTF-8 bytes (NONCE-8). A nonce that is not kept may be longer. */
export const MAX_NONCE_BYTES = 128;

/** The nonce as it was sent: `disabling` is `""` or null, "no reauthentication from now on". */
export type PresentedNonce =
  | { readonly kind: 'absent' }
  | { readonly kind: 'disabling' }
  | { readonly kind: 'text'; readonly text: string };

export interface ReauthenticationFacts {
  /** The stored entry; undefined if absent. */
  readonly entry: AccessListEntry | undefined;
  readonly nonce: PresentedNonce;
  /** As the verified document spells it. */
  readonly pendingTime: string;
  /** The role allows it (and its tag does, where there is one). */
  readonly allowInstanceMigration: boolean;
  /** The role or its tag asks for it. */
  readonly disallowReauthentication: boolean;
}

/** `generate`: store a fresh random nonce and return it. `keep`: store this text, return nothing. */
export type NonceOrder = { readonly order: 'generate' } | { readonly order: 'keep'; readonly text: string };

export type ReauthenticationDecision =
  | { readonly allow: true; readonly disallow: boolean; readonly nonce: NonceOrder; readonly migrated: boolean }
  | {
      readonly allow: false;
      readonly code:
        | 'reauthentication_disabled'
        | 'nonce_mismatch'
        | 'nonce_too_long'
        | 'document_older'
        | 'pending_time_invalid';
    };

/** Decides one row of the table. A first login never parses pendingTime; every later one does. */
export function decideReauthentication(facts: ReauthenticationFacts): ReauthenticationDecision {
  const { entry, nonce } = facts;
  if (entry === undefined) return remember(facts, false);
  if (entry.disallowReauthentication || nonce.kind === 'disabling') return deny('reauthentication_disabled');
  // A blank nonce on an entry that is not disallowed was never written by this package: it is rejected, migrated or not.
  if (entry.clientNonce === '') return deny('nonce_mismatch');

  const known = nonce.kind === 'text' && sameNonce(nonce.text, entry.clientNonce);
  if (!known && !facts.allowInstanceMigration) return deny('nonce_mismatch');

  const stored = parseRfc3339(entry.pendingTime);
  const given = parseRfc3339(facts.pendingTime);
  if (stored === undefined || given === undefined) return deny('pending_time_invalid');
  if (given < stored) return deny('document_older');
  if (known) return admit(facts.disallowReauthentication, entry.clientNonce, false);
  return given > stored ? remember(facts, true) : deny('nonce_mismatch');
}

/** A first login, or one that starts afresh after a migration: which nonce stands from now on. */
function remember(facts: ReauthenticationFacts, migrated: boolean): ReauthenticationDecision {
  const { nonce } = facts;
  if (facts.disallowReauthentication || nonce.kind === 'disabling') return admit(true, '', migrated);
  if (nonce.kind === 'absent') return { allow: true, disallow: false, nonce: { order: 'generate' }, migrated };
  if (encodeUtf8(nonce.text).length > MAX_NONCE_BYTES) return deny('nonce_too_long');
  return admit(false, nonce.text, migrated);
}

function admit(disallow: boolean, text: string, migrated: boolean): ReauthenticationDecision {
  return { allow: true, disallow, nonce: { order: 'keep', text: disallow ? '' : text }, migrated };
}

function deny(code: Extract<ReauthenticationDecision, { allow: false }>['code']): ReauthenticationDecision {
  return { allow: false, code };
}

/** In time that tells nothing of where two nonces differ. */
function sameNonce(presented: string, stored: string): boolean {
  return equalConstantTime(encodeUtf8(presented), encodeUtf8(stored));
}
