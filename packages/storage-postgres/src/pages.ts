/** Pages of `list` and `listExpired`: where each starts and ends in the index, and what follows it. */
import { type ExpiredPage, type ExpiredPosition, keyRange, type ListPage, type ListQuery } from '@postern/ports';
import { keyOf, type RecordRow, recordOf, textToBytes } from './rows.js';

/** One row more than asked for, to know whether another page follows. */
export function pageValues(prefix: string, query: ListQuery): unknown[] {
  const { from, before } = keyRange(prefix, query.after);
  return [from, before, query.limit + 1];
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
  const range = keyRange(prefix);
  return [
    query.after?.expiresAt ?? Number.MIN_SAFE_INTEGER,
    textToBytes(query.after?.key ?? ''),
    before,
    range.from,
    range.before,
    query.limit + 1,
  ];
}

export function expiredPageOf(rows: readonly RecordRow[], limit: number): ExpiredPage {
  const items = rows.slice(0, limit).map(recordOf);
  const last = items.at(-1);
  const more = rows.length > limit && last?.expiresAt !== undefined;
  return { items, next: more ? { expiresAt: last.expiresAt, key: last.key } : undefined };
}
