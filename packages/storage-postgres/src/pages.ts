/** Pages of `list` and `listExpired`: where each starts and ends in the index, and what follows it. */
import type { ExpiredPage, ExpiredPosition, ListPage, ListQuery } from '@postern/ports';
import { keyOf, type RecordRow, recordOf, textToBytes } from './rows.js';

/** Greater than every key: no byte of UTF-8 is 0xFF. */
const AFTER_ALL_KEYS = Buffer.of(0xff);

/** One row more than asked for, to know whether another page follows. */
export function pageValues(prefix: string, query: ListQuery): unknown[] {
  return [startOfPage(prefix, query.after), endOfPrefix(prefix), query.limit + 1];
}

export function pageOf(rows: readonly Pick<RecordRow, 'key'>[], limit: number): ListPage {
  const items = rows.slice(0, limit).map((row) => ({ key: keyOf(row) }));
  return { items, next: rows.length > limit ? items.at(-1)?.key : undefined };
}

export function recordPageOf(rows: readonly RecordRow[], limit: number): ListPage {
  const items = rows.slice(0, limit).map((row) => ({ key: keyOf(row), record: recordOf(row) }));
  return { items, next: rows.length > limit ? items.at(-1)?.key : undefined };
}

export function expiredValues(
  prefix: string,
  before: number,
  query: { readonly after?: ExpiredPosition | undefined; readonly limit: number },
): unknown[] {
  return [
    query.after?.expiresAt ?? Number.MIN_SAFE_INTEGER,
    textToBytes(query.after?.key ?? ''),
    before,
    textToBytes(prefix),
    endOfPrefix(prefix),
    query.limit + 1,
  ];
}

export function expiredPageOf(rows: readonly RecordRow[], limit: number): ExpiredPage {
  const items = rows.slice(0, limit).map(recordOf);
  const last = items.at(-1);
  const more = rows.length > limit && last?.expiresAt !== undefined;
  return { items, next: more ? { expiresAt: last.expiresAt, key: last.key } : undefined };
}

/** The least byte string that a page may hold: the prefix, or the one right after `after`. */
function startOfPage(prefix: string, after: string | undefined): Buffer {
  const start = textToBytes(prefix);
  if (after === undefined) return start;
  const following = Buffer.concat([textToBytes(after), Buffer.of(0)]);
  return Buffer.compare(following, start) > 0 ? following : start;
}

/** The least byte string after everything that begins with the prefix; the last byte of UTF-8 is never 0xFF. */
function endOfPrefix(prefix: string): Buffer {
  const end = textToBytes(prefix);
  const last = end.at(-1);
  if (last === undefined) return AFTER_ALL_KEYS;
  end[end.length - 1] = last + 1;
  return end;
}
