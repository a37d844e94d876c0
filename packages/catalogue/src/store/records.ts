/**
 * What the catalogue keeps in Storage, as JSON, under which addresses (the naming rule of the module registry protocol, and semantic
 * versions), and how its parts read and write it. A record that cannot be decoded is a fault of the storage, never a missing version.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeRecord, NewerRecordError, parseRecord, type UnreadableRecord, type WriteFormat } from '@postern/kernel';
import {
  type BlobStore,
  type Clock,
  type EpochMillis,
  isStorageError,
  type ModuleAddress,
  ModuleArchiveError,
  type ModuleArchiveFacts,
  type ModuleVersionAddress,
  type ModuleVersionSummary,
  ProviderError,
  type PublisherCall,
  STORAGE_LIMITS,
  type Storage,
  type StoredRecord,
  type Version,
} from '@postern/ports';
import type { ArchiveLimits } from '../archive/archive-limits.js';
import { printable } from '../archive/refuse.js';
import type { ModuleReader } from '../module/module-reader.js';
import type { ReadModule } from '../module/read-module.js';

export interface VersionRecord {
  readonly owner: string;
  readonly description: string;
  readonly source: string;
  readonly publishedAt: EpochMillis;
  readonly archive: ModuleArchiveFacts;
  /** SHA-256 of the upload that it was packed from; that of the archive itself where it was kept as it came. */
  readonly uploadDigest?: string | undefined;
  /** In how many parts its contents are kept. */
  readonly parts: number;
}

/** What lists show of the newest version (MODULE-8, revocation aside). */
export type NewestRecord = Pick<VersionRecord, 'owner' | 'description' | 'source' | 'publishedAt'> & {
  readonly version: string;
};

export interface ModuleRecord {
  readonly versions: number;
  /** Missing where format 1 was written last, and where no version can be ordered. */
  readonly newest?: NewestRecord | undefined;
}

export interface BlobRecord {
  /** Versions that have this archive. */
  readonly references: number;
  /** When this record was last written for. */
  readonly touchedAt: EpochMillis;
  /** Another for each life of the blob: a record with the same one means that it was not deleted in between. */
  readonly life: string;
  /** The blob is being deleted: it must not be relied on. */
  readonly removing: boolean;
}

export interface UsageRecord {
  readonly versions: number;
  readonly bytes: number;
}

/** What a number was first published as; it stays when the version is deleted (PUBLISH-5). */
export interface TakenRecord {
  readonly version: string;
  /** SHA-256 of the upload, and of the archive that was kept. */
  readonly uploadDigest: string;
  readonly digest: string;
}

/** How the names of a module were first written. */
export interface SpellingRecord {
  readonly namespace: string;
  readonly name: string;
}

export type ContentsRecord = ReadModule;
export type SummaryRecord = ModuleVersionSummary;

/** Written for versions that know no `v` (STORE-5) and refuse any other form. */
const FORM = 1;

type CatalogueRecord =
  | VersionRecord
  | ModuleRecord
  | BlobRecord
  | UsageRecord
  | SummaryRecord
  | TakenRecord
  | SpellingRecord;

export type EncodeRecord = (record: CatalogueRecord) => string;

/** @param format of the record; the parts of a version's contents are of the format of its record. */
export const createEncode =
  (format: WriteFormat): EncodeRecord =>
  (record) => {
    const written = format();
    // Who writes format 1 refuses a module's record with it.
    const known = written > 1 || !('newest' in record) ? record : { ...record, newest: undefined };
    return encodeRecord({ form: FORM, ...known }, written);
  };

type Members<T> = Readonly<Record<keyof T, true>>;

const VERSION: Members<VersionRecord> = {
  owner: true,
  description: true,
  source: true,
  publishedAt: true,
  archive: true,
  uploadDigest: true,
  parts: true,
};
const MODULE: Members<ModuleRecord> = { versions: true, newest: true };
const BLOB: Members<BlobRecord> = { references: true, touchedAt: true, life: true, removing: true };
const USAGE: Members<UsageRecord> = { versions: true, bytes: true };
const TAKEN: Members<TakenRecord> = { version: true, uploadDigest: true, digest: true };
const SPELLING: Members<SpellingRecord> = { namespace: true, name: true };
const SUMMARY: Members<SummaryRecord> = { version: true, publishedAt: true, root: true, submodules: true };

export const decodeVersion = (key: string, value: string) => decode<VersionRecord>(key, value, VERSION);
export const decodeModule = (key: string, value: string) => decode<ModuleRecord>(key, value, MODULE);
export const decodeBlob = (key: string, value: string) => decode<BlobRecord>(key, value, BLOB);
export const decodeUsage = (key: string, value: string) => decode<UsageRecord>(key, value, USAGE);
export const decodeTaken = (key: string, value: string) => decode<TakenRecord>(key, value, TAKEN);
export const decodeSpelling = (key: string, value: string) => decode<SpellingRecord>(key, value, SPELLING);
export const decodeSummary = (key: string, value: string) => decode<SummaryRecord>(key, value, SUMMARY);

/** @throws ProviderError `unavailable`; its cause tells a record of a newer version from a damaged one. */
function decode<T extends CatalogueRecord>(key: string, value: string, members: Members<T>): T {
  const { form, ...record }: Record<string, unknown> = parseRecord(key, value, unreadableRecord);
  if (form !== FORM) throw unreadableRecord(key, typeof form === 'number' && form > FORM ? 'newer' : 'corrupt');
  if (!Object.keys(record).every((name) => Object.hasOwn(members, name))) throw unreadableRecord(key, 'newer');
  // What stands under these keys was written by an `EncodeRecord` alone, and its members are known.
  return record as object as T;
}

function unreadableRecord(key: string, why: UnreadableRecord): ProviderError {
  return why === 'newer'
    ? new ProviderError('unavailable', `the record ${key} is of a newer version`, { cause: new NewerRecordError(key) })
    : new ProviderError('unavailable', `the record ${key} is damaged`);
}

/**
 * Keys of the catalogue's records. `!` stands between the parts of an address: it is in none of them and sorts before all
 * their characters, so that byte order is the order of names (`a!aws` before `a-b!aws`).
 */
export interface CatalogueKeys {
  /** One a module: which versions it has changed whenever this did. */
  module(address: ModuleAddress): string;
  /** Before every module. */
  readonly modules: string;
  /** Before every module of a namespace. */
  modulesOf(namespace: string): string;
  /** One a version: it is there when this is. */
  version(address: ModuleVersionAddress): string;
  /** Before every version of a namespace. */
  versionsOf(namespace: string): string;
  /** One a namespace: how much it keeps. */
  usage(namespace: string): string;
  readonly usages: string;
  /** One a version, for lists. */
  summary(address: ModuleVersionAddress): string;
  summariesOf(address: ModuleAddress): string;
  /** What the archive of a digest holds, in parts. */
  part(address: ModuleVersionAddress, digest: string, index: number): string;
  /** One a number that was ever published, whatever its build metadata and the letter case of its module. */
  taken(address: ModuleVersionAddress): string;
  /** One a module, whatever its letter case. */
  spelling(address: ModuleAddress): string;
  /** One a blob: how many versions have it. */
  blob(digest: string): string;
  readonly blobs: string;
}

export function catalogueKeys(prefix: string): CatalogueKeys {
  const ofModule = ({ namespace, name, provider }: ModuleAddress) => `${namespace}!${name}!${provider}`;
  const ofVersion = (address: ModuleVersionAddress) => `${ofModule(address)}!${address.version}`;
  return {
    module: (address) => `${prefix}module/${ofModule(address)}`,
    modules: `${prefix}module/`,
    modulesOf: (namespace) => `${prefix}module/${namespace}!`,
    version: (address) => `${prefix}version/${ofVersion(address)}`,
    versionsOf: (namespace) => `${prefix}version/${namespace}!`,
    usage: (namespace) => `${prefix}usage/${namespace}`,
    usages: `${prefix}usage/`,
    summary: (address) => `${prefix}summary/${ofVersion(address)}`,
    summariesOf: (address) => `${prefix}summary/${ofModule(address)}!`,
    part: (address, digest, index) => `${prefix}part/${ofVersion(address)}!${digest}!${String(index).padStart(3, '0')}`,
    taken: (address) => `${prefix}taken/${ofModule(address).toLowerCase()}!${withoutBuild(address.version)}`,
    spelling: (address) => `${prefix}spelling/${ofModule(address).toLowerCase()}`,
    blob: (digest) => `${prefix}blob/${digest}`,
    blobs: `${prefix}blob/`,
  };
}

/** What makes a number one (PUBLISH-5). */
export const withoutBuild = (version: string): string => version.replace(/\+.*$/, '');

/** Undefined: no limit. */
export interface OrganizationQuota {
  readonly versions?: number | undefined;
  /** Of the archives as they are served. */
  readonly bytes?: number | undefined;
}

export interface Quota extends OrganizationQuota {
  /** Organizations with a quota of their own: what it does not name has no limit there. */
  readonly organizations?: Readonly<Record<string, OrganizationQuota>> | undefined;
}

export interface CatalogueContext {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly keys: CatalogueKeys;
  /** In the format that is written now. */
  readonly encode: EncodeRecord;
  readonly limits: ArchiveLimits;
  readonly quota: Quota;
  readonly scratchFolder: string;
  readonly reader: ModuleReader;
}

/** Sends the commit that makes a version visible, or gone. */
export type SendCommit = NonNullable<PublisherCall['commit']>;

/**
 * Runs a call that reads or writes records.
 *
 * @throws ProviderError `unavailable` for whatever the storage answers but a result.
 */
export async function ofStorage<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toProviderError(error);
  }
}

/** The records under a prefix, a page at a time. */
export async function* pagesOf(
  { storage }: CatalogueContext,
  prefix: string,
  {
    limit = STORAGE_LIMITS.maxPage,
    signal,
  }: { readonly limit?: number; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  let after: string | undefined;
  do {
    const page = await ofStorage(() => storage.list(prefix, { after, limit, values: true }, { signal }));
    yield page.items.map(({ record }) => record).filter((record) => record !== undefined);
    after = page.next;
    // A storage may answer without letting others have their turn.
    if (after !== undefined) await nextTurn();
  } while (after !== undefined);
}

/** The condition that a record is as it was read. */
export const asRead = (record: StoredRecord | undefined): 'absent' | { readonly version: Version } =>
  record === undefined ? 'absent' : { version: record.version };

export function toProviderError(error: unknown): unknown {
  if (!isStorageError(error)) return error;
  return new ProviderError('unavailable', `the catalogue's storage failed: ${error.code}`, { cause: error });
}

export interface FoundVersion {
  readonly record: VersionRecord;
  readonly version: Version;
}

export async function readVersion(
  context: CatalogueContext,
  address: ModuleVersionAddress,
  signal?: AbortSignal,
): Promise<FoundVersion | undefined> {
  if (!isVersionAddress(address)) return undefined;
  const key = context.keys.version(address);
  const found = await ofStorage(() => context.storage.get(key, { signal }));
  return found === undefined ? undefined : { record: decodeVersion(key, found.value), version: found.version };
}

/** Letters, digits, `-` and `_`, 1 to 64, with a letter or digit at both ends. */
const NAME = /^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?$/;

/** Lower-case letters and digits. */
const PROVIDER = /^[0-9a-z]{1,64}$/;

/** semver.org, version 2.0.0: no leading `v`, no leading zeros. */
const SEMANTIC_VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const MAX_VERSION_CHARACTERS = 128;

export const isNamespace = (text: string): boolean => NAME.test(text);

/** Whether there can be a module of this address. */
export function isModuleAddress(address: ModuleAddress): boolean {
  return NAME.test(address.namespace) && NAME.test(address.name) && PROVIDER.test(address.provider);
}

/** Whether there can be a version of this address. */
export function isVersionAddress(address: ModuleVersionAddress): boolean {
  return isModuleAddress(address) && isVersion(address.version);
}

const isVersion = (text: string): boolean => text.length <= MAX_VERSION_CHARACTERS && SEMANTIC_VERSION.test(text);

/** @throws ModuleArchiveError `address_invalid`, `version_invalid`, with what to change. */
export function checkVersionAddress(address: ModuleVersionAddress): void {
  for (const part of ['namespace', 'name'] as const) {
    if (NAME.test(address[part])) continue;
    const rule = 'has 1 to 64 letters, digits, "-" and "_", and begins and ends with a letter or digit';
    throw new ModuleArchiveError('address_invalid', `the module's ${part} ${rule}: not "${printable(address[part])}"`);
  }
  if (!PROVIDER.test(address.provider)) {
    const message = `the module's provider has 1 to 64 lower-case letters and digits: not "${printable(address.provider)}"`;
    throw new ModuleArchiveError('address_invalid', message);
  }
  if (isVersion(address.version)) return;
  const bare = address.version.replace(/^[vV]/, '');
  const hint = isVersion(bare) ? `leave the "v" out: ${bare}` : 'write it as MAJOR.MINOR.PATCH, for example 1.4.0';
  throw new ModuleArchiveError('version_invalid', `"${printable(address.version)}" is not a semantic version: ${hint}`);
}
