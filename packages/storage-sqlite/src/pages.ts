/** Pages of `list` and `listExpired`, each served by an index from the place it starts at. */
import { type ExpiredPage, type ExpiredPosition, keyRange, type ListPage, type ListQuery } from '@postern/ports';
import type { Statements } from './connection.js';
import { keyOf, recordOf, textToBytes } from './rows.js';

/** One page of the keys under a prefix, with one row more than asked for to know whether another page follows. */
export function readPage(statements: Statements, prefix: string, query: ListQuery): ListPage {
  const statement = query.values === true ? statements.listRecords : statements.listKeys;
  const { from, before } = keyRange(prefix, query.after);
  const rows = statement.all(from, before, query.limit + 1);
  const items = rows.slice(0, query.limit).map((row) => {
    const key = keyOf(row);
    return query.values === true ? { key, record: recordOf(key, row) } : { key };
  });
  return { items, next: rows.length > query.limit ? items.at(-1)?.key : undefined };
}

/** One page of the records that expired strictly before an instant, oldest first. */
export function readExpired(
  statements: Statements,
  prefix: string,
  before: number,
  query: { readonly after?: ExpiredPosition | undefined; readonly limit: number },
): ExpiredPage {
  const range = keyRange(prefix);
  const rows = statements.listExpired.all(
    query.after?.expiresAt ?? Number.MIN_SAFE_INTEGER,
    textToBytes(query.after?.key ?? ''),
    before,
    range.from,
    range.before,
    query.limit + 1,
  );
  const items = rows.slice(0, query.limit).map((row) => recordOf(keyOf(row), row));
  const last = items.at(-1);
  const more = rows.length > query.limit && last?.expiresAt !== undefined;
  return { items, next: more ? { expiresAt: last.expiresAt, key: last.key } : undefined };
}
