/**
 * The schema, made once by the first node. Version 1.
 *
 * Keys and values are `bytea` of UTF-8: `bytea` compares byte by byte, which is the port's order, whatever the collation of
 * the database, and keeps U+0000, which `text` refuses.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { columnTypes } from './column-types.js';
import { COMMIT_FUNCTION, REPLACE_OLDER } from './commit-function.js';
import { codeOf } from './failure.js';
import { PostgresOpenError } from './open-error.js';

export const SCHEMA_VERSION = 1;

/** Entries in the order in which their positions were taken. */
const LOG_TABLE = (schema: string) => `
  CREATE TABLE IF NOT EXISTS ${schema}.log_entries (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    log bytea NOT NULL,
    value bytea NOT NULL
  )`;

const CREATE = (schema: string) => [
  `CREATE TABLE ${schema}.schema_version (version integer NOT NULL)`,
  `CREATE TABLE ${schema}.records (
    key bytea PRIMARY KEY,
    value bytea NOT NULL,
    version bigint NOT NULL,
    expires_at bigint
  )`,
  `CREATE INDEX records_by_expiry ON ${schema}.records (expires_at, key) WHERE expires_at IS NOT NULL`,
  `CREATE SEQUENCE ${schema}.record_version AS bigint NO CYCLE`,
  `INSERT INTO ${schema}.schema_version (version) VALUES (${SCHEMA_VERSION})`,
];

/** What PostgreSQL answers where another node made the same thing at the same time. */
export const MADE_MEANWHILE: ReadonlySet<string> = new Set([
  '23505',
  '42P06',
  '42P07',
  '42710',
  '42723',
  '40P01',
  '40001',
]);
const MAX_ATTEMPTS = 20;
const RETRY_MS = 50;

/**
 * Makes what is missing, in one transaction: of nodes that start at once one does, and the others try again and find it.
 *
 * @throws PostgresOpenError `newer_schema`, `foreign_schema`, `broken_schema`; an error of the driver. Nothing is changed then.
 */
export async function setUpSchema(client: ClientBase, schema: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('BEGIN');
      await client.query("SET LOCAL lock_timeout = '10s'");
      await makeMissing(client, schema);
      await client.query('COMMIT');
      return;
    } catch (error) {
      // The connection may be what failed; then the server rolls back by itself.
      await client.query('ROLLBACK').catch(() => undefined);
      if (attempt === MAX_ATTEMPTS || !MADE_MEANWHILE.has(codeOf(error) ?? '')) throw error;
      await delay(RETRY_MS * (0.5 + Math.random()));
    }
  }
}

/** Additions that an older node would not mind leave the version as it is, so that it can still open the database. */
async function makeMissing(client: ClientBase, schema: string): Promise<void> {
  const found = await inspect(client, schema);
  if (!found.has_schema) await client.query(`CREATE SCHEMA ${schema}`);
  if (found.has_marker) await checkVersion(client, schema);
  else if (found.has_others) throw foreign(schema);
  else for (const statement of CREATE(schema)) await client.query(statement);
  if (!found.has_log) await client.query(LOG_TABLE(schema));
  if (!found.has_commit) await client.query(COMMIT_FUNCTION(schema));
  if (!found.has_commit && found.has_older)
    for (const statement of REPLACE_OLDER(schema)) await client.query(statement);
  await checkParts(client, schema);
}

interface Found {
  readonly has_schema: boolean;
  readonly has_marker: boolean;
  readonly has_others: boolean;
  readonly has_log: boolean;
  readonly has_commit: boolean;
  readonly has_older: boolean;
}

async function inspect(client: ClientBase, schema: string): Promise<Found> {
  const { rows } = await client.query<Found>({
    text: `WITH relations AS (
        SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1
      ), functions AS (
        SELECT p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1
      ) SELECT
      EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS has_schema,
      EXISTS (SELECT FROM relations WHERE name = 'schema_version') AS has_marker,
      EXISTS (SELECT FROM relations WHERE name IN ('records', 'records_by_expiry', 'record_version')) AS has_others,
      EXISTS (SELECT FROM relations WHERE name = 'log_entries') AS has_log,
      EXISTS (SELECT FROM functions WHERE name = 'commit_rows') AS has_commit,
      EXISTS (SELECT FROM functions WHERE name = 'commit_operations') AS has_older`,
    values: [schema],
    types: columnTypes,
  });
  const [state] = rows;
  if (state === undefined) throw new PostgresOpenError('unusable', 'the server answered without a row');
  return state;
}

/** Every part that a commit or a list needs, as the catalogue of PostgreSQL names it. */
const PARTS: readonly string[] = [
  'records.key bytea not null',
  'records.value bytea not null',
  'records.version bigint not null',
  'records.expires_at bigint',
  'log_entries.position bigint not null',
  'log_entries.log bytea not null',
  'log_entries.value bytea not null',
  'unique index on records (key)',
  'index on records (expires_at, key)',
  'sequence record_version',
];

/** A restore that broke off, or a hand in the tables, must not show at the first login. */
async function checkParts(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ part: string }>({
    text: `WITH relations AS (
        SELECT c.oid, c.relname AS name, c.relkind AS kind
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1
      )
      SELECT r.name || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          || CASE WHEN a.attnotnull THEN ' not null' ELSE '' END AS part
        FROM relations r JOIN pg_attribute a ON a.attrelid = r.oid
        WHERE r.kind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL
      SELECT CASE WHEN i.indisunique THEN 'unique ' ELSE '' END || 'index on ' || r.name || ' ('
          || (SELECT string_agg(a.attname::text, ', ' ORDER BY k.place)
              FROM unnest(i.indkey::smallint[]) WITH ORDINALITY k (number, place)
              JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = k.number) || ')'
        FROM relations r JOIN pg_index i ON i.indrelid = r.oid WHERE i.indisvalid AND i.indisready
      UNION ALL
      SELECT 'sequence ' || name FROM relations WHERE kind = 'S'`,
    values: [schema],
  });
  const present = new Set(rows.map(({ part }) => part));
  const missing = PARTS.filter((part) => !present.has(part));
  if (missing.length > 0) {
    throw new PostgresOpenError(
      'broken_schema',
      `its schema ${schema} is not complete (missing: ${missing.join('; ')}): restore it from a backup`,
    );
  }
}

async function checkVersion(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client
    .query<{ version: unknown }>({ text: `SELECT version FROM ${schema}.schema_version`, types: columnTypes })
    .catch((error: unknown): never => {
      // Undefined column: a table of that name that is not ours.
      throw codeOf(error) === '42703' ? foreign(schema) : error;
    });
  const version = rows[0]?.version;
  if (rows.length !== 1 || typeof version !== 'number') throw foreign(schema);
  if (version > SCHEMA_VERSION) {
    throw new PostgresOpenError(
      'newer_schema',
      `its schema ${schema} is version ${version}, this Postern knows ${SCHEMA_VERSION}: run the newer Postern`,
    );
  }
}

function foreign(schema: string): PostgresOpenError {
  return new PostgresOpenError(
    'foreign_schema',
    `tables of another program stand in its schema ${schema}: name another schema`,
  );
}
