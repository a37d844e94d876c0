/**
 * How the text of a column becomes a value. Our own, for the driver's table is one for all who import it: a host that has
 * `bigint` read as numbers, as many do, would change what a version is.
 */
import type { CustomTypesConfig } from 'pg';

/** Object ids of PostgreSQL's types (`pg_type`). */
const BOOL = 16;
const BYTEA = 17;
const INT4 = 23;
const INT4_ARRAY = 1007;
const INT8_ARRAY = 1016;

const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [BOOL, (text) => text === 't'],
  [BYTEA, bytesOf],
  [INT4, Number],
  [INT4_ARRAY, (text) => itemsOf(text).map(Number)],
  [INT8_ARRAY, (text) => itemsOf(text).map((item) => (item === 'NULL' ? null : item))],
]);

/** Everything else is its text: `bigint` among it, which a number cannot hold. */
export const columnTypes: CustomTypesConfig = {
  getTypeParser: (id: number) => parsers.get(id) ?? String,
};

/** `{1,NULL,3}`: integers need no quotes. */
function itemsOf(text: string): readonly string[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',');
}

/** As `bytea_output` has it, which is the server's or the user's to set: hex, or escaped text. */
function bytesOf(text: string): Buffer {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex');
  const raw = text.replace(/\\(\\|[0-3][0-7]{2})/g, (_all, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(raw, 'latin1');
}
