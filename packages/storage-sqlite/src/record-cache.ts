/**
 * Records that were read lately, so that what every call reads (a role, a configuration) is asked of SQLite once, not
 * each time: a read costs a lock, a copy and a decoding.
 *
 * Sound because this connection is the only writer: it forgets what it writes, and everything when the file says that
 * somebody else wrote after all (an operator's shell). Absence is remembered too.
 */
import type { StoredRecord, Version } from '@postern/ports';

/** Bounds of what is kept. UTF-16 units of keys and values; a record longer than a sixteenth of it is not kept. */
const MAX_RECORDS = 1024;
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_RECORD_CHARACTERS = MAX_CHARACTERS / 16;

export class RecordCache {
  /** In order of use: a Map keeps the order of insertion, and each use inserts anew. */
  readonly #records = new Map<string, StoredRecord | undefined>();
  #characters = 0;

  /** The record of a key, or that there is none; remembered, or read by `ask` and remembered. */
  read(key: string, ask: (key: string) => StoredRecord | undefined): StoredRecord | undefined {
    const known = this.#records.get(key);
    if (known !== undefined || this.#records.has(key)) {
      this.#records.delete(key);
      this.#records.set(key, known);
      return known;
    }
    const record = ask(key);
    this.#remember(key, record);
    return record;
  }

  /** Whether the record of a key, or its absence, is remembered. */
  knows(key: string): boolean {
    return this.#records.has(key);
  }

  /** Of a key that it knows; undefined for an absent record. */
  versionOf(key: string): Version | undefined {
    return this.#records.get(key)?.version;
  }

  /** Call it for each key that a transaction writes, as it does: whatever becomes of the transaction. */
  forget(key: string): void {
    const known = this.#records.get(key);
    if (this.#records.delete(key)) this.#characters -= sizeOf(key, known);
  }

  forgetAll(): void {
    this.#records.clear();
    this.#characters = 0;
  }

  #remember(key: string, record: StoredRecord | undefined): void {
    const size = sizeOf(key, record);
    if (size > MAX_RECORD_CHARACTERS) return;
    this.#records.set(key, Object.freeze(record));
    this.#characters += size;
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= MAX_RECORDS && this.#characters <= MAX_CHARACTERS) break;
      this.forget(oldest);
    }
  }
}

function sizeOf(key: string, record: StoredRecord | undefined): number {
  return key.length + (record?.value.length ?? 0);
}
