/** What the catalogue keeps in Storage, as JSON. A record that does not read is a fault of the storage, never "none". */
import { type EpochMillis, type ModuleArchiveFacts, type ModuleVersionSummary, ProviderError } from '@postern/ports';
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
