/**
 * Statuses and histories in storage: their records, as JSON, reading, and the one commit that changes both together. A status
 * is written with the first transition (or deletion) and never removed: it also carries the number of the last entry of the history.
 */

import {
  decodeRecord,
  encodeRecord,
  NEWER_RECORD_REMEDY,
  type UnreadableRecord,
  type WriteFormat,
} from '@postern/kernel';
import {
  type CallOptions,
  type ModuleAddress,
  type ModuleVersionAddress,
  type Operation,
  STORAGE_LIMITS,
  type Storage,
  type StoredRecord,
  type Version,
} from '@postern/ports';
import * as z from 'zod';
import { versionAddress, versionId } from '../addresses/address.js';
import { RegistryError } from '../errors.js';
import { COMMANDS, STATES } from '../lifecycle/transitions.js';
import type { HistoryEntry } from '../results.js';
import { type Deprecation, REASON_CLASSES, type Revocation, type VersionStatus } from '../version-status.js';

const nullableText = z.string().nullable();
const notice = { reason: nullableText, link: nullableText };
const extras = {
  reasonClass: z.enum(REASON_CLASSES).nullable(),
  replacement: z.strictObject({ module: nullableText, version: nullableText }).nullable(),
  sunsetAt: z.number().nullable(),
};
const authorship = {
  id: z.string(),
  at: z.number(),
  by: z.string(),
  revisedAt: z.number().nullable(),
  revisedBy: nullableText,
};

export const statusRecordSchema = z.strictObject({
  /** Number of the last entry of the history; 0 where a version was deleted that never had a transition. */
  seq: z.number().int().min(0),
  state: z.enum(STATES),
  deprecation: z.strictObject({ ...notice, ...extras, ...authorship }).nullable(),
  revocation: z.strictObject({ ...notice, ...authorship }).nullable(),
});
export type StatusRecord = z.output<typeof statusRecordSchema>;

export const historyEntrySchema = z.strictObject({
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

/** A status as it was read. */
export interface StoredStatus {
  readonly record: StatusRecord | typeof NO_STATUS;
  /** Undefined where the version never had a transition. */
  readonly version: Version | undefined;
}

/** By version; each with the version of its record in storage, which names its content. */
export type ModuleStatuses = ReadonlyMap<string, { readonly stored: Version; readonly status: VersionStatus }>;

/** A transition, ready to be committed. */
export interface Change {
  readonly record: StatusRecord;
  readonly entry: HistoryEntry;
}

export interface StatusStore {
  read(version: ModuleVersionAddress, options?: CallOptions): Promise<StoredStatus>;
  /** Changes with every transition in the module; undefined before the first. Read it before the statuses. */
  readMark(module: ModuleAddress, options?: CallOptions): Promise<Version | undefined>;
  /**
   * Statuses of all versions of a module that ever had a transition, by version.
   *
   * @param before what was read earlier: what has not changed since is taken from it, not decoded again.
   */
  readModule(module: ModuleAddress, before: ModuleStatuses, options?: CallOptions): Promise<ModuleStatuses>;
  /** One answer each in order; none twice. */
  readMany(versions: readonly ModuleVersionAddress[], options?: CallOptions): Promise<readonly VersionStatus[]>;
  /** Entries by number, in order; at most `STORAGE_LIMITS.maxGetMany`. Undefined if absent. */
  readHistory(
    version: ModuleVersionAddress,
    seqs: readonly number[],
    options?: CallOptions,
  ): Promise<readonly (HistoryEntry | undefined)[]>;
  /** Status, history entry and the module's mark, if the status is still as it was read: for one commit. */
  change(version: ModuleVersionAddress, read: StoredStatus, change: Change): readonly Operation[];
  /** A status as it was read, if it is unchanged: commits based on an earlier read then conflict. */
  touch(version: ModuleVersionAddress, read: StoredStatus): readonly Operation[];
}

const PAGE = 1000;

/** Digits of the largest safe integer: in byte order, history keys follow their numbers. */
const SEQ_DIGITS = 16;

/**
 * Storage keys. Everything of an organization lies below one prefix, so that it can be exported or erased whole. Parts of
 * addresses hold no slash, so keys of one version never start like those of another.
 */
function createKeys(prefix: string) {
  const below = ({ namespace, name, provider }: ModuleAddress, kind: string) =>
    `${prefix}${namespace}/${kind}/${name}/${provider}`;
  return {
    status: (version: ModuleVersionAddress) => `${below(version, 'status')}/${version.version}`,
    /** Prefix of the statuses of all versions of a module, and of nothing else. */
    statuses: (module: ModuleAddress) => `${below(module, 'status')}/`,
    /** Rewritten with every transition of any version of a module: its storage version shows whether a list is still current. */
    mark: (module: ModuleAddress) => below(module, 'mark'),
    history: (version: ModuleVersionAddress, seq: number) =>
      `${below(version, 'history')}/${version.version}/${String(seq).padStart(SEQ_DIGITS, '0')}`,
  };
}

export function createStatusStore(storage: Storage, prefix: string, format: WriteFormat): StatusStore {
  const keys = createKeys(prefix);

  const putStatus = (version: ModuleVersionAddress, read: StoredStatus, record: StoredStatus['record']) =>
    ({
      type: 'put',
      key: keys.status(version),
      value: encodeRecord(record, format()),
      if: read.version === undefined ? 'absent' : { version: read.version },
    }) as const;

  return {
    async read(version, options) {
      const stored = await storage.get(keys.status(version), options);
      if (stored === undefined) return { record: NO_STATUS, version: undefined };
      return { record: decode(statusRecordSchema, stored), version: stored.version };
    },
    async readMark(module, options) {
      return (await storage.get(keys.mark(module), options))?.version;
    },
    async readModule(module, before, options) {
      const prefixOfModule = keys.statuses(module);
      const statuses = new Map<string, { stored: Version; status: VersionStatus }>();
      let after: string | undefined;
      do {
        const page = await storage.list(prefixOfModule, { limit: PAGE, after, values: true }, options);
        for (const { key, record } of page.items) {
          const version = key.slice(prefixOfModule.length);
          // Requested with values: a missing record was removed while the page was read, which the registry never does.
          if (record === undefined) continue;
          const known = before.get(version);
          const entry =
            known?.stored === record.version
              ? known
              : {
                  stored: record.version,
                  status: toStatus(versionAddress(module, version), decode(statusRecordSchema, record)),
                };
          statuses.set(version, entry);
        }
        after = page.next;
      } while (after !== undefined);
      return statuses;
    },
    async readMany(versions, options) {
      const asked = versions.map(keys.status);
      const reads: Promise<readonly (StoredRecord | undefined)[]>[] = [];
      for (let from = 0; from < asked.length; from += STORAGE_LIMITS.maxGetMany) {
        reads.push(storage.getMany(asked.slice(from, from + STORAGE_LIMITS.maxGetMany), options));
      }
      const stored = (await Promise.all(reads)).flat();
      return versions.map((version, at) => {
        const record = stored[at];
        return toStatus(version, record === undefined ? NO_STATUS : decode(statusRecordSchema, record));
      });
    },
    async readHistory(version, seqs, options) {
      if (seqs.length === 0) return [];
      const stored = await storage.getMany(
        seqs.map((seq) => keys.history(version, seq)),
        options,
      );
      return stored.map((record) => (record === undefined ? undefined : decode(historyEntrySchema, record)));
    },
    change: (version, read, { record, entry }) => [
      putStatus(version, read, record),
      { type: 'put', key: keys.history(version, entry.seq), value: encodeRecord(entry, format()), if: 'absent' },
      { type: 'put', key: keys.mark(version), value: encodeRecord({}, format()), if: 'any' },
    ],
    touch: (version, read) => [putStatus(version, read, read.record)],
  };
}

/** @throws RegistryError `internal` where a record does not decode, `record_newer` where a newer version wrote it. */
function decode<T>(schema: z.ZodType<T>, record: { readonly key: string; readonly value: string }): T {
  return decodeRecord(schema, record, unreadableRecord);
}

function unreadableRecord(key: string, why: UnreadableRecord): RegistryError {
  return why === 'newer'
    ? new RegistryError('record_newer', `the stored record ${key} ${NEWER_RECORD_REMEDY}`)
    : new RegistryError('internal', `the stored record ${key} cannot be read`);
}
