import type { StoredRecord, Version } from './storage.js';

/** One thing that a storage holds. */
export type StoredItem =
  | { readonly kind: 'record'; readonly record: StoredRecord }
  /** Of a log, in order. */
  | { readonly kind: 'entry'; readonly log: string; readonly value: string };

/** Everything that a storage held at one moment: what a backup is made of. */
export interface StorageSnapshot {
  /** Records by key, then entries of logs by position. Read once. @throws what the adapter throws where it cannot be read. */
  readonly items: AsyncIterable<StoredItem>;
  /** No version was given beyond it when the snapshot was taken. */
  readonly lastVersion: Version;
  close(): Promise<void>;
}
