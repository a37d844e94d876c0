/**
 * Copies everything that one storage holds into another (STORE-10). Both are read in the order of keys and only what differs is
 * written, so that a copy that broke off is completed by the next one, whatever either holds by then. From its first write to
 * its last the target is marked as incomplete: every server refuses it. The mark goes once both sides were read and agree.
 */
import { createHash } from 'node:crypto';
import {
  compareUtf8,
  STORAGE_LIMITS,
  type Storage,
  type StorageSnapshot,
  type StoredItem,
  type StoredRecord,
} from '@postern/ports';
import { StartError } from '../start-error.js';
import { CopyWriter } from './copy-writer.js';
import { isCopying, markCopying, STORAGE_FORMAT_KEY } from './storage-format.js';

export interface CopySide {
  readonly storage: Storage;
  /** Everything that it holds now. */
  snapshot(): Promise<StorageSnapshot>;
}

export type CopyPhase = 'reading' | 'copying' | 'verifying';

/** @param total undefined until it is known. */
export type OnCopyProgress = (phase: CopyPhase, done: number, total: number | undefined) => void;

interface Contents {
  /** All but that of the format. */
  readonly records: number;
  readonly entries: number;
  /** Over keys, values and expiries of all records, and the entries of each log in order. Versions are the storage's own. */
  readonly digest: string;
  readonly format: StoredRecord | undefined;
}

export interface CopyReport extends Pick<Contents, 'records' | 'entries' | 'digest'> {
  /** Records and entries that this run wrote. */
  readonly written: number;
}

/**
 * @param from must not change meanwhile: a change is found at the end, and the target stays incomplete.
 * @throws StartError; StorageError and what the snapshots throw: the same copy can be run again.
 */
export async function copyStorage(from: CopySide, to: CopySide, onProgress: OnCopyProgress): Promise<CopyReport> {
  const source = await contentsOf(from, (done) => onProgress('reading', done, undefined));
  if (isCopying(source.format)) throw new StartError('FROM holds an incomplete copy itself');
  const total = source.records + source.entries;
  if (total === 0) throw new StartError('FROM holds nothing');
  const { entries, digest } = source;
  const report = { records: source.records + (source.format === undefined ? 0 : 1), entries, digest };
  const before = await to.storage.get(STORAGE_FORMAT_KEY);
  if (!isCopying(before) && !(await isEmpty(to))) {
    // A run that died after its last commit did not say so.
    const found = await contentsOf(to, (done) => onProgress('verifying', done, total));
    if (isSame(found, source)) return { ...report, written: 0 };
    throw new StartError('TO is not empty: name a new storage');
  }
  const writer = new CopyWriter(to.storage, await markCopying(to.storage, before));
  await copyRecords(from, to, writer, (done) => onProgress('copying', done, total));
  const verified = (seen: number) => (done: number) => onProgress('verifying', seen + done, 2 * total);
  const [after, copied] = [await contentsOf(from, verified(0)), await contentsOf(to, verified(total))];
  if (!isSame(after, source)) {
    throw new StartError('FROM was changed while it was copied: stop all servers, and run the same copy again');
  }
  if (copied.digest !== source.digest) {
    throw new StartError('TO does not hold what FROM holds: run the same copy again, with nobody else writing to TO');
  }
  await writer.complete(source.format?.value);
  return { ...report, written: writer.written };
}

async function isEmpty(side: CopySide): Promise<boolean> {
  const snapshot = await side.snapshot();
  try {
    for await (const _item of snapshot.items) return false;
    return true;
  } finally {
    await snapshot.close();
  }
}

function isSame(left: Contents, right: Contents): boolean {
  return left.digest === right.digest && left.format?.value === right.format?.value;
}

async function copyRecords(
  from: CopySide,
  to: CopySide,
  writer: CopyWriter,
  onProgress: (done: number) => void,
): Promise<void> {
  const source = new Items(await from.snapshot());
  const target = new Items(await to.snapshot());
  let done = 0;
  try {
    for (;;) {
      const [wanted, found] = [await source.record(), await target.record()];
      const order = compareRecords(wanted, found);
      if (order === undefined) break;
      if (order > 0) {
        await writer.remove(found?.key ?? '');
      } else if (wanted !== undefined) {
        if (order < 0 || wanted.value !== found?.value || wanted.expiresAt !== found.expiresAt)
          await writer.put(wanted);
        done += 1;
        onProgress(done);
      }
      if (order <= 0) source.next();
      if (order >= 0) target.next();
    }
    await writer.settle();
    await clearLogs(to.storage, await target.logs());
    for (let entry = await source.entry(); entry !== undefined; entry = await source.entry()) {
      await writer.append(entry.log, entry.value);
      done += 1;
      onProgress(done);
      source.next();
    }
    await writer.settle();
  } finally {
    await writer.settle().catch(() => undefined);
    await source.close();
    await target.close();
  }
}

/** Of two that may have ended; undefined where both have. */
function compareRecords(left: StoredRecord | undefined, right: StoredRecord | undefined): number | undefined {
  if (left === undefined) return right === undefined ? undefined : 1;
  return right === undefined ? -1 : compareUtf8(left.key, right.key);
}

/** Entries have no keys to compare them by: what an earlier run appended is appended anew. */
async function clearLogs(storage: Storage, logs: ReadonlySet<string>): Promise<void> {
  for (const log of logs) {
    for (;;) {
      const entries = await storage.readLog(log, { limit: STORAGE_LIMITS.maxPage });
      if (entries.length === 0) break;
      await storage.removeFromLog(
        log,
        entries.map(({ position }) => position),
      );
    }
  }
}

/** A snapshot, item by item: its records without that of the format, then its entries. */
class Items {
  readonly #snapshot: StorageSnapshot;
  readonly #iterator: AsyncIterator<StoredItem>;
  #item: StoredItem | undefined;
  #isEnded = false;

  constructor(snapshot: StorageSnapshot) {
    this.#snapshot = snapshot;
    this.#iterator = snapshot.items[Symbol.asyncIterator]();
  }

  /** That stands next; undefined after the last record. */
  async record(): Promise<StoredRecord | undefined> {
    let item = await this.#peek();
    while (item?.kind === 'record' && item.record.key === STORAGE_FORMAT_KEY) {
      this.next();
      item = await this.#peek();
    }
    return item?.kind === 'record' ? item.record : undefined;
  }

  async entry(): Promise<{ readonly log: string; readonly value: string } | undefined> {
    const item = await this.#peek();
    return item?.kind === 'entry' ? item : undefined;
  }

  next(): void {
    this.#item = undefined;
  }

  /** Those of the entries left. */
  async logs(): Promise<ReadonlySet<string>> {
    const logs = new Set<string>();
    for (let entry = await this.entry(); entry !== undefined; entry = await this.entry()) {
      logs.add(entry.log);
      this.next();
    }
    return logs;
  }

  async close(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.#snapshot.close();
  }

  /** Closed at its end: a database keeps for an open snapshot what is written after it. */
  async #peek(): Promise<StoredItem | undefined> {
    if (this.#item !== undefined || this.#isEnded) return this.#item;
    const { value, done } = await this.#iterator.next();
    if (done === true) await this.close();
    else this.#item = value;
    return this.#item;
  }
}

async function contentsOf(side: CopySide, onProgress: (done: number) => void): Promise<Contents> {
  const snapshot = await side.snapshot();
  const digest = createHash('sha256');
  const logs = new Map<string, ReturnType<typeof createHash>>();
  let [records, entries] = [0, 0];
  let format: StoredRecord | undefined;
  try {
    for await (const item of snapshot.items) {
      if (item.kind === 'entry') {
        const log = logs.get(item.log) ?? createHash('sha256');
        logs.set(item.log, log.update(`${JSON.stringify(item.value)}\n`));
        entries += 1;
      } else if (item.record.key === STORAGE_FORMAT_KEY) {
        format = item.record;
      } else {
        const { key, value, expiresAt = null } = item.record;
        digest.update(`${JSON.stringify([key, value, expiresAt])}\n`);
        records += 1;
      }
      onProgress(records + entries);
    }
  } finally {
    await snapshot.close();
  }
  // Storages give logs in different orders.
  for (const [log, of] of [...logs].sort(([a], [b]) => compareUtf8(a, b))) {
    digest.update(`${JSON.stringify([log, of.digest('hex')])}\n`);
  }
  return { records, entries, digest: digest.digest('hex'), format };
}
