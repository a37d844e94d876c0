/** Pages of `list` and `listExpired`, each served by an index from the place it starts at. */
import type { ExpiredPage, ExpiredPosition, ListPage, ListQuery } from '@postern/ports';
import type { Statements } from './connection.js';
import { keyOf, recordOf, textToBytes } from './rows.js';

/** Greater than every key: no byte of UTF-8 is 0xFF. */
const AFTER_ALL_KEYS = Uint8Array.of(0xff);

/** One page of the keys under a prefix, with one row more than asked for to know whether another page follows. */
export function readPage(statements: Statements, prefix: string, query: ListQuery): ListPage {
  const statement = query.values === true ? statements.listRecords : statements.listKeys;
  const rows = statement.all(startOfPage(prefix, query.after), endOfPrefix(prefix), query.limit + 1);
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
  const rows = statements.listExpired.all(
    query.after?.expiresAt ?? Number.MIN_SAFE_INTEGER,
    textToBytes(query.after?.key ?? ''),
    before,
    textToBytes(prefix),
    endOfPrefix(prefix),
    query.limit + 1,
  );
  const items = rows.slice(0, query.limit).map((row) => recordOf(keyOf(row), row));
  const last = items.at(-1);
  const more = rows.length > query.limit && last?.expiresAt !== undefined;
  return { items, next: more ? { expiresAt: last.expiresAt, key: last.key } : undefined };
}

/** The least byte string that a page may hold: the prefix, or the one right after `after`. */
function startOfPage(prefix: string, after: string | undefined): Uint8Array {
  const start = textToBytes(prefix);
  if (after === undefined) return start;
  const following = Buffer.concat([textToBytes(after), Uint8Array.of(0)]);
  return Buffer.compare(following, start) > 0 ? following : start;
}

/** The least byte string after everything that begins with the prefix; the last byte of UTF-8 is never 0xFF. */
function endOfPrefix(prefix: string): Uint8Array {
  const end = textToBytes(prefix);
  const last = end.at(-1);
  if (last === undefined) return AFTER_ALL_KEYS;
  end[end.length - 1] = last + 1;
  return end;
}
