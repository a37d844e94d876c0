/**
 * The schema, made once by the first node. Version 2 keeps expiries in a table of their own, apart from the records; `finalizeSchema` makes
 * it of a version 1, which earlier releases still open.
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

export type SchemaVersion = 1 | 2;
export const SCHEMA_VERSION: SchemaVersion = 2;

/** Leaves room in a page for the next version of a row of it, which HOT needs: 99.5 % of renewals are HOT, 97 % at 100. */
const FILL_PERCENT = 85;

/** Entries in the order in which their positions were taken. */
const LOG_TABLE = (schema: string) => `
  CREATE TABLE IF NOT EXISTS ${schema}.log_entries (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    log bytea NOT NULL,
    value bytea NOT NULL
  )`;

export const SETTLED_AT_ONCE = 1_000;

/**
 * When to look at a record again: for each that expires there is an entry of that time or an earlier one. A renewal writes none: it
 * changes no indexed column, so that PostgreSQL can keep the new version of the row in the page of the old one (HOT). An entry that is
 * due and does not say when its record expires is moved by `settle_expiries`, or removed.
 *
 * Triggers write entries, so that whatever writes records does, a commit that began before `finalizeSchema` among it. An entry that is
 * there already is locked all the same: `settle_expiries` looks at a record after it has locked its entry, by a statement of its own,
 * and so does not remove the entry of one that comes meanwhile.
 */
const EXPIRIES = (schema: string) => [
  `CREATE TABLE ${schema}.record_expiries (
    expires_at bigint NOT NULL,
    key bytea NOT NULL,
    PRIMARY KEY (expires_at, key)
  )`,
  `CREATE FUNCTION ${schema}.note_expiry() RETURNS trigger LANGUAGE plpgsql AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      DELETE FROM ${schema}.record_expiries e WHERE e.expires_at = OLD.expires_at AND e.key = OLD.key;
    ELSE
      INSERT INTO ${schema}.record_expiries (expires_at, key) VALUES (NEW.expires_at, NEW.key)
        ON CONFLICT (expires_at, key) DO UPDATE SET key = excluded.key;
    END IF;
    RETURN NULL;
  END
  $function$`,
  `CREATE TRIGGER note_expiry_of_new AFTER INSERT ON ${schema}.records FOR EACH ROW
    WHEN (NEW.expires_at IS NOT NULL) EXECUTE FUNCTION ${schema}.note_expiry()`,
  `CREATE TRIGGER note_earlier_expiry AFTER UPDATE ON ${schema}.records FOR EACH ROW
    WHEN (NEW.expires_at < coalesce(OLD.expires_at, 9223372036854775807)) EXECUTE FUNCTION ${schema}.note_expiry()`,
  `CREATE TRIGGER note_end AFTER DELETE ON ${schema}.records FOR EACH ROW
    WHEN (OLD.expires_at IS NOT NULL) EXECUTE FUNCTION ${schema}.note_expiry()`,
  `CREATE FUNCTION ${schema}.settle_expiries(before bigint) RETURNS integer LANGUAGE plpgsql VOLATILE AS $function$
  DECLARE
    entry record;
    expiry bigint;
    settled integer := 0;
  BEGIN
    FOR entry IN
      SELECT e.expires_at, e.key FROM ${schema}.record_expiries e LEFT JOIN ${schema}.records r ON r.key = e.key
        WHERE e.expires_at < before AND r.expires_at IS DISTINCT FROM e.expires_at
        ORDER BY e.expires_at, e.key LIMIT ${SETTLED_AT_ONCE} FOR UPDATE OF e
    LOOP
      settled := settled + 1;
      SELECT r.expires_at INTO expiry FROM ${schema}.records r WHERE r.key = entry.key;
      CONTINUE WHEN expiry = entry.expires_at;
      IF expiry IS NOT NULL THEN
        INSERT INTO ${schema}.record_expiries (expires_at, key) VALUES (expiry, entry.key)
          ON CONFLICT (expires_at, key) DO UPDATE SET key = excluded.key;
      END IF;
      DELETE FROM ${schema}.record_expiries e WHERE e.expires_at = entry.expires_at AND e.key = entry.key;
    END LOOP;
    RETURN settled;
  END
  $function$`,
];

const CREATE = (schema: string) => [
  `CREATE TABLE ${schema}.schema_version (version integer NOT NULL)`,
  `CREATE TABLE ${schema}.records (
    key bytea PRIMARY KEY,
    value bytea NOT NULL,
    version bigint NOT NULL,
    expires_at bigint
  ) WITH (fillfactor = ${FILL_PERCENT})`,
  ...EXPIRIES(schema),
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
export function setUpSchema(client: ClientBase, schema: string): Promise<void> {
  return inTransaction(client, () => makeMissing(client, schema));
}

/**
 * Makes version 2 of a version 1: releases that know version 1 alone cannot open it any more; what runs of them goes on. Commits wait
 * meanwhile, about a second for 300,000 records.
 *
 * @throws as `setUpSchema`.
 */
export function finalizeSchema(client: ClientBase, schema: string): Promise<void> {
  return inTransaction(client, async () => {
    await client.query(`LOCK TABLE ${schema}.records IN ACCESS EXCLUSIVE MODE`);
    if ((await checkVersion(client, schema)) === SCHEMA_VERSION) return;
    for (const statement of EXPIRIES(schema)) await client.query(statement);
    await client.query(`INSERT INTO ${schema}.record_expiries (expires_at, key)
      SELECT expires_at, key FROM ${schema}.records WHERE expires_at IS NOT NULL`);
    await client.query(`DROP INDEX ${schema}.records_by_expiry`);
    await client.query(`ALTER TABLE ${schema}.records SET (fillfactor = ${FILL_PERCENT})`);
    await client.query(`UPDATE ${schema}.schema_version SET version = ${SCHEMA_VERSION}`);
  });
}

async function inTransaction(client: ClientBase, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query('BEGIN');
      await client.query("SET LOCAL lock_timeout = '10s'");
      await work();
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
  const version = found.has_marker ? await checkVersion(client, schema) : SCHEMA_VERSION;
  if (!found.has_marker && found.has_others) throw foreign(schema);
  if (!found.has_marker) for (const statement of CREATE(schema)) await client.query(statement);
  if (!found.has_log) await client.query(LOG_TABLE(schema));
  if (!found.has_commit) await client.query(COMMIT_FUNCTION(schema));
  if (!found.has_commit && found.has_older)
    for (const statement of REPLACE_OLDER(schema)) await client.query(statement);
  await checkParts(client, schema, version);
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
      EXISTS (SELECT FROM relations WHERE name IN ('records', 'record_version')) AS has_others,
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
const PARTS = (version: SchemaVersion): readonly string[] => [
  'records.key bytea not null',
  'records.value bytea not null',
  'records.version bigint not null',
  'records.expires_at bigint',
  'log_entries.position bigint not null',
  'log_entries.log bytea not null',
  'log_entries.value bytea not null',
  'unique index on records (key)',
  version === 1 ? 'index on records (expires_at, key)' : 'unique index on record_expiries (expires_at, key)',
  'sequence record_version',
];

/** A restore that broke off, or a hand in the tables, must not show at the first login. */
async function checkParts(client: ClientBase, schema: string, version: SchemaVersion): Promise<void> {
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
      SELECT 'sequence ' || name FROM relations WHERE kind = 'S'
      UNION ALL
      SELECT 'trigger ' || t.tgname FROM relations r JOIN pg_trigger t ON t.tgrelid = r.oid
        WHERE r.name = 'records' AND t.tgenabled <> 'D'`,
    values: [schema],
  });
  const present = new Set(rows.map(({ part }) => part));
  const missing = PARTS(version).filter((part) => !present.has(part));
  if (missing.length > 0) {
    throw new PostgresOpenError(
      'broken_schema',
      `its schema ${schema} is not complete (missing: ${missing.join('; ')}): restore it from a backup`,
    );
  }
}

async function checkVersion(client: ClientBase, schema: string): Promise<SchemaVersion> {
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
  return version === 1 ? 1 : 2;
}

function foreign(schema: string): PostgresOpenError {
  return new PostgresOpenError(
    'foreign_schema',
    `tables of another program stand in its schema ${schema}: name another schema`,
  );
}
