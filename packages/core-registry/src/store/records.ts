/**
 * What is kept of a version, as JSON in storage. A record of its status, written with the first transition (or deletion)
 * and never removed: it also carries the number of the last history entry. One record for each entry of the history.
 */
import type { ModuleVersionAddress } from '@postern/ports';
import * as z from 'zod';
import { versionAddress, versionId } from '../addresses/address.js';
import { COMMANDS, STATES } from '../lifecycle/transitions.js';
import { type Deprecation, REASON_CLASSES, type Revocation, type VersionStatus } from '../version-status.js';

const nullableText = z.string().nullable();
const notice = { reason: nullableText, link: nullableText };
const extras = {
  reasonClass: z.enum(REASON_CLASSES).nullable(),
  replacement: z.object({ module: nullableText, version: nullableText }).nullable(),
  sunsetAt: z.number().nullable(),
};
const authorship = {
  id: z.string(),
  at: z.number(),
  by: z.string(),
  revisedAt: z.number().nullable(),
  revisedBy: nullableText,
};

export const statusRecordSchema = z.object({
  /** Number of the last entry of the history; 0 where a version was deleted that never had a transition. */
  seq: z.number().int().min(0),
  state: z.enum(STATES),
  deprecation: z.object({ ...notice, ...extras, ...authorship }).nullable(),
  revocation: z.object({ ...notice, ...authorship }).nullable(),
});
export type StatusRecord = z.output<typeof statusRecordSchema>;

export const historyEntrySchema = z.object({
  seq: z.number().int().min(1),
  time: z.number(),
  actor: z.string(),
  requestId: z.string(),
  command: z.enum([...COMMANDS, 'delete']),
  from: z.enum(STATES),
  to: z.enum(STATES),
  ...notice,
  ...extras,
});

/** The status of a version before its first transition. */
export const NO_STATUS: Omit<StatusRecord, 'seq'> & { readonly seq: 0 } = {
  seq: 0,
  state: 'active',
  deprecation: null,
  revocation: null,
};

/** The status as callers see it: frozen, for they share it. */
export function toStatus(
  address: ModuleVersionAddress,
  { state, deprecation, revocation }: StatusRecord | typeof NO_STATUS,
): VersionStatus {
  return Object.freeze({
    id: versionId(address),
    address: versionAddress(address, address.version),
    state,
    deprecation: deprecation === null ? null : freezeDeprecation(deprecation),
    revocation: revocation === null ? null : Object.freeze<Revocation>({ ...revocation }),
  });
}

function freezeDeprecation({ replacement, ...others }: Deprecation): Deprecation {
  return Object.freeze({ ...others, replacement: replacement === null ? null : Object.freeze({ ...replacement }) });
}
