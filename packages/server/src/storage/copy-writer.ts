/**
 * Writes of a copy (STORE-10): several commits under way at once, each on condition that the mark of this run stands. A run that
 * was taken over by another, and a commit of it that arrives late, writes nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AppendOperation,
  isConflict,
  isStorageError,
  type Operation,
  type RecordOperation,
  STORAGE_LIMITS,
  type Storage,
  type StoredRecord,
  type Version,
} from '@postern/ports';
import { StartError } from '../start-error.js';
import { STORAGE_FORMAT_KEY } from './storage-format.js';

/** Beside the check of the mark. */
const MAX_OPERATIONS = STORAGE_LIMITS.maxOperations - 1;
/** Of keys and values in a commit; an operation may exceed it alone. */
const MAX_BYTES = 1024 * 1024;
const UNDER_WAY = 4;
/** How long a storage may not answer, or throttle, until the copy breaks off. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;

export class CopyWriter {
  readonly #storage: Storage;
  readonly #mark: RecordOperation;
  readonly #underWay = new Set<Promise<void>>();
  #records: RecordOperation[] = [];
  #entries: AppendOperation[] = [];
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;
  #written = 0;

  constructor(storage: Storage, mark: Version) {
    this.#storage = storage;
    this.#mark = { type: 'check', key: STORAGE_FORMAT_KEY, if: { version: mark } };
  }

  /** Records and entries that were written. */
  get written(): number {
    return this.#written;
  }

  async put({ key, value, expiresAt }: StoredRecord): Promise<void> {
    await this.#add({ type: 'put', key, value, expiresAt, if: 'any' }, key.length + value.length);
  }

  async remove(key: string): Promise<void> {
    await this.#add({ type: 'delete', key, if: 'any' }, key.length);
  }

  /** In order: one commit after the other. */
  async append(log: string, value: string): Promise<void> {
    this.#entries.push({ type: 'append', log, value });
    if (this.#entries.length >= STORAGE_LIMITS.maxAppends) await this.#sendEntries();
  }

  /** Waits until everything is written. @throws the first failure. */
  async settle(): Promise<void> {
    await this.#sendRecords();
    await this.#sendEntries();
    await Promise.all(this.#underWay);
    this.#throwFailure();
  }

  /** Ends the copy: in the place of the mark stands the format of the source. */
  async complete(format: string | undefined): Promise<void> {
    const { key, if: condition } = this.#mark;
    const end: Operation =
      format === undefined
        ? { type: 'delete', key, if: condition }
        : { type: 'put', key, value: format, if: condition };
    try {
      await this.#storage.commit([end]);
    } catch (error) {
      const isUnknown = isStorageError(error) && error.code === 'outcome_unknown';
      if (!isUnknown || (await this.#storage.get(key))?.value !== format) throw error;
    }
  }

  async #add(operation: RecordOperation, bytes: number): Promise<void> {
    if (this.#bytes + bytes > MAX_BYTES) await this.#sendRecords();
    this.#records.push(operation);
    this.#bytes += bytes;
    if (this.#records.length >= MAX_OPERATIONS) await this.#sendRecords();
  }

  async #sendRecords(): Promise<void> {
    const operations = this.#records;
    if (operations.length === 0) return;
    this.#records = [];
    this.#bytes = 0;
    while (this.#underWay.size >= UNDER_WAY) await Promise.race(this.#underWay);
    this.#throwFailure();
    const sent: Promise<void> = this.#commit(operations)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  async #sendEntries(): Promise<void> {
    const operations = this.#entries;
    if (operations.length === 0) return;
    this.#entries = [];
    await this.#commit(operations);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Repeats while the storage does not answer; never an append that may have been applied. */
  async #commit(operations: readonly Operation[]): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    const canRepeat = operations.every(({ type }) => type !== 'append');
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
      try {
        await this.#storage.commit([this.#mark, ...operations]);
        this.#written += operations.length;
        return;
      } catch (error) {
        if (isConflict(error)) throw new StartError('another copy into TO has begun: this one ends', error);
        const code = isStorageError(error) && error.fault === undefined ? error.code : undefined;
        const mayRepeat = code === 'unavailable' || (code === 'outcome_unknown' && canRepeat);
        if (!mayRepeat || performance.now() + pauseMs > deadline) throw error;
        await delay(pauseMs);
      }
    }
  }
}
