/** What both readers of archives give: entries one after another, with what the archive claims not yet believed. */
import type { EntryKind } from './entry-names.js';

export interface ArchiveEntry {
  /** As the archive has it, not yet judged. */
  readonly rawName: Uint8Array;
  readonly kind: EntryKind;
  /** By its owner: the one bit of a mode that is kept. */
  readonly isExecutable: boolean;
  /** Bytes that the archive claims, and that `content` turns out to have or else throws. */
  readonly sizeBytes: number;
  /** To be read before the next entry is asked for; what is not read is read over. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Nothing to read. */
export async function* noContent(): AsyncGenerator<Uint8Array, void, undefined> {
  // An entry of no bytes.
}
