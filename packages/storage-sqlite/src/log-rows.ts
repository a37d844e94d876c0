/**
 * Entries of logs in rows: all that a transaction appended to one log is one row, so that an entry costs no row and no index
 * of its own. A row is a run of entries, each its length as four bytes and its UTF-8. A position is `row.place`.
 */
import type { LogEntry, LogPosition } from '@postern/ports';
import type { Connection } from './connection.js';
import { bytesOf, integerOf, textToBytes } from './rows.js';

const LENGTH_BYTES = 4;
/** The length that marks an entry as removed: the others of its row keep their places. */
const REMOVED = 0xffff_ffff;

/** Rows whose counts are kept: entries are removed in the order in which they came, soon after. */
const MAX_COUNTED = 4096;

interface NewRow {
  readonly id: number;
  readonly entries: Uint8Array[];
}

/** Collects what one transaction appends, and writes it at its end. */
export class LogAppender {
  readonly #connection: Connection;
  readonly #rows = new Map<string, NewRow>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  append(log: string, value: Uint8Array): LogPosition {
    let row = this.#rows.get(log);
    if (row === undefined) {
      // Of the one count of versions: an id is never given twice.
      row = { id: this.#connection.versions.take(), entries: [] };
      this.#rows.set(log, row);
    }
    row.entries.push(value);
    return `${row.id}.${row.entries.length - 1}`;
  }

  write(): void {
    const { statements, logCounts } = this.#connection;
    for (const [log, { id, entries }] of this.#rows) {
      statements.putLogRow.run(id, textToBytes(log), encodeEntries(entries));
      logCounts.set(id, entries.length);
      for (const oldest of logCounts.keys()) {
        if (logCounts.size <= MAX_COUNTED) break;
        logCounts.delete(oldest);
      }
    }
  }
}

/** The first entries of a log. */
export function readLog({ statements }: Connection, log: string, limit: number): readonly LogEntry[] {
  const found: LogEntry[] = [];
  // A row has an entry at least, so that no more rows are needed than entries.
  for (const row of statements.readLog.all(textToBytes(log), limit)) {
    const id = integerOf(row, 'id');
    for (const [place, bytes] of decodeEntries(bytesOf(row, 'entries')).entries()) {
      if (bytes === undefined) continue;
      if (found.length === limit) return found;
      found.push({ position: `${id}.${place}`, value: bytes.toString('utf8') });
    }
  }
  return found;
}

/** Removes entries, and a row with its last one. Runs within a transaction. */
export function removeFromLog(
  { statements, logCounts }: Connection,
  log: string,
  positions: readonly LogPosition[],
): void {
  const logBytes = textToBytes(log);
  for (const [id, places] of placesByRow(positions)) {
    const count = logCounts.get(id);
    if (count !== undefined && hasAll(places, count)) {
      // Not read: it would be copied twice to find that nothing is left of it.
      statements.deleteLogRow.run(id, logBytes);
      continue;
    }
    const row = statements.getLogRow.get(id, logBytes);
    if (row === undefined) continue;
    const left = decodeEntries(bytesOf(row, 'entries')).map((bytes, place) => (places.has(place) ? undefined : bytes));
    if (left.every((bytes) => bytes === undefined)) statements.deleteLogRow.run(id, logBytes);
    else statements.putLogRow.run(id, logBytes, encodeEntries(left));
  }
}

function hasAll(places: ReadonlySet<number>, count: number): boolean {
  for (let place = 0; place < count; place += 1) if (!places.has(place)) return false;
  return true;
}

const POSITION = /^\d{1,15}\.\d{1,9}$/;

function placesByRow(positions: readonly LogPosition[]): Map<number, Set<number>> {
  const rows = new Map<number, Set<number>>();
  for (const position of positions) {
    if (!POSITION.test(position)) continue;
    const dot = position.indexOf('.');
    const row = Number(position.slice(0, dot));
    let places = rows.get(row);
    if (places === undefined) {
      places = new Set();
      rows.set(row, places);
    }
    places.add(Number(position.slice(dot + 1)));
  }
  return rows;
}

function encodeEntries(entries: readonly (Uint8Array | undefined)[]): Uint8Array {
  const encoded = Buffer.allocUnsafe(entries.reduce((sum, bytes) => sum + LENGTH_BYTES + (bytes?.length ?? 0), 0));
  let at = 0;
  for (const bytes of entries) {
    at = encoded.writeUInt32BE(bytes?.length ?? REMOVED, at);
    if (bytes === undefined) continue;
    encoded.set(bytes, at);
    at += bytes.length;
  }
  return encoded;
}

export function decodeEntries(bytes: Uint8Array): readonly (Buffer | undefined)[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: (Buffer | undefined)[] = [];
  for (let at = 0; at < view.length; ) {
    const length = view.readUInt32BE(at);
    at += LENGTH_BYTES;
    entries.push(length === REMOVED ? undefined : view.subarray(at, at + length));
    if (length !== REMOVED) at += length;
  }
  return entries;
}
