/** What the catalogue keeps in Storage, as JSON. A record that does not read is a fault of the storage, never "none". */
import {
  type EpochMillis,
  type ModuleAddress,
  type ModuleArchiveFacts,
  type ModuleVersionAddress,
  type ModuleVersionSummary,
  ProviderError,
} from '@postern/ports';
import type { ReadModule } from '../module/read-module.js';

export interface VersionRecord {
  readonly owner: string;
  readonly description: string;
  readonly source: string;
  readonly publishedAt: EpochMillis;
  readonly archive: ModuleArchiveFacts;
  /** In how many parts its contents are kept. */
  readonly parts: number;
}

export interface ModuleRecord {
  readonly versions: number;
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

export type ContentsRecord = ReadModule;
export type SummaryRecord = ModuleVersionSummary;

/** The form of all records; another number is of another release. */
const FORM = 1;

export function encode(record: VersionRecord | ModuleRecord | BlobRecord | SummaryRecord): string {
  return JSON.stringify({ form: FORM, ...record });
}

export const decodeVersion = (key: string, value: string): VersionRecord => decode<VersionRecord>(key, value);
export const decodeModule = (key: string, value: string): ModuleRecord => decode<ModuleRecord>(key, value);
export const decodeBlob = (key: string, value: string): BlobRecord => decode<BlobRecord>(key, value);
export const decodeSummary = (key: string, value: string): SummaryRecord => decode<SummaryRecord>(key, value);

/** @throws ProviderError `unavailable`. */
function decode<T extends object>(key: string, value: string): T {
  let record: (T & { readonly form?: unknown }) | undefined;
  try {
    // What stands under these keys was written by `encode` alone; its form says by which.
    record = JSON.parse(value);
  } catch {
    record = undefined;
  }
  if (record?.form !== FORM)
    throw new ProviderError('unavailable', `The record ${key} is damaged or of another release.`);
  return record;
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
  /** One a version, for lists. */
  summary(address: ModuleVersionAddress): string;
  summariesOf(address: ModuleAddress): string;
  /** What the archive of a digest holds, in parts. */
  part(address: ModuleVersionAddress, digest: string, index: number): string;
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
    summary: (address) => `${prefix}summary/${ofVersion(address)}`,
    summariesOf: (address) => `${prefix}summary/${ofModule(address)}!`,
    part: (address, digest, index) => `${prefix}part/${ofVersion(address)}!${digest}!${String(index).padStart(3, '0')}`,
    blob: (digest) => `${prefix}blob/${digest}`,
    blobs: `${prefix}blob/`,
  };
}
