/**
 * The schema, made once by the first node. Version 1.
 *
 * Keys and values are `bytea` of UTF-8: `bytea` compares byte by byte, which is the port's order, whatever the collation of
 * the database, and keeps U+0000, which `text` refuses.
 */
import type { ClientBase } from 'pg';
import { codeOf } from './failure.js';
import { PostgresOpenError } from './open-error.js';

export const SCHEMA_VERSION = 1;

/** Of an advisory lock, in the space of two integers: those of keys are in the other. "PSTN", "SCHM". */
const SET_UP_LOCK = [0x5053544e, 0x5343484d] as const;
const DUPLICATE_SCHEMA = '23505';

/**
 * A commit is one call of this function, and with that one transaction and one round trip.
 *
 * Every key has an advisory lock, exclusive for a put or a delete, shared for a check, taken in the order of the locks'
 * numbers: no two commits can wait for each other in a circle, and a key that is absent is held absent too, for which no row
 * could be locked. The holder of the locks reads with a snapshot that was taken after them (each statement of a volatile
 * function has its own under READ COMMITTED), so that preconditions hold until the commit. Locks end after the commit is on
 * the disk and visible.
 */
const COMMIT_FUNCTION = (schema: string) => `
  CREATE FUNCTION ${schema}.commit_operations(
    locks bigint[], shared boolean[],
    kinds text[], keys bytea[], conditions bigint[], new_values bytea[], expiries bigint[],
    OUT failed integer[], OUT versions bigint[]
  ) LANGUAGE plpgsql VOLATILE AS $function$
  DECLARE
    found_version bigint;
    given bigint;
    holds boolean;
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'a commit needs READ COMMITTED';
    END IF;
    IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
      PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    FOR place IN 1 .. cardinality(locks) LOOP
      IF shared[place] THEN
        PERFORM pg_advisory_xact_lock_shared(locks[place]);
      ELSE
        PERFORM pg_advisory_xact_lock(locks[place]);
      END IF;
    END LOOP;
    failed := '{}';
    FOR place IN 1 .. cardinality(keys) LOOP
      CONTINUE WHEN conditions[place] = -3;
      found_version := NULL;
      SELECT r.version INTO found_version FROM ${schema}.records r WHERE r.key = keys[place];
      holds := CASE conditions[place]
        WHEN -2 THEN found_version IS NULL
        WHEN -1 THEN found_version IS NOT NULL
        ELSE found_version IS NOT NULL AND found_version = conditions[place]
      END;
      IF NOT holds THEN
        failed := failed || place;
      END IF;
    END LOOP;
    IF cardinality(failed) > 0 THEN
      RETURN;
    END IF;
    FOR place IN 1 .. cardinality(keys) LOOP
      given := NULL;
      IF kinds[place] = 'put' THEN
        given := nextval('${schema}.record_version');
        INSERT INTO ${schema}.records AS r (key, value, version, expires_at)
          VALUES (keys[place], new_values[place], given, expiries[place])
          ON CONFLICT (key) DO UPDATE
          SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at;
      ELSIF kinds[place] = 'delete' THEN
        DELETE FROM ${schema}.records r WHERE r.key = keys[place];
      END IF;
      versions[place] := given;
    END LOOP;
  END
  $function$`;

/**
 * Logs: entries in the order in which their positions were taken. A commit that appends is one call of this function. It
 * asks the one above for the records, so that old and new nodes on one database commit alike.
 */
const CREATE_LOG = (schema: string) => [
  `CREATE TABLE ${schema}.log_entries (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    log bytea NOT NULL,
    value bytea NOT NULL
  )`,
  `CREATE FUNCTION ${schema}.commit_and_append(
    locks bigint[], shared boolean[],
    kinds text[], keys bytea[], conditions bigint[], new_values bytea[], expiries bigint[],
    logs bytea[], entries bytea[],
    OUT failed integer[], OUT versions bigint[], OUT positions bigint[]
  ) LANGUAGE plpgsql VOLATILE AS $function$
  DECLARE
    given bigint;
  BEGIN
    SELECT c.failed, c.versions INTO failed, versions
      FROM ${schema}.commit_operations(locks, shared, kinds, keys, conditions, new_values, expiries) c;
    IF cardinality(failed) > 0 THEN
      RETURN;
    END IF;
    FOR place IN 1 .. cardinality(logs) LOOP
      INSERT INTO ${schema}.log_entries (log, value) VALUES (logs[place], entries[place]) RETURNING position INTO given;
      positions[place] := given;
    END LOOP;
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
  )`,
  `CREATE INDEX records_by_expiry ON ${schema}.records (expires_at, key) WHERE expires_at IS NOT NULL`,
  `CREATE SEQUENCE ${schema}.record_version AS bigint NO CYCLE`,
  COMMIT_FUNCTION(schema),
  `INSERT INTO ${schema}.schema_version (version) VALUES (${SCHEMA_VERSION})`,
];

/**
 * Makes what is missing, in one transaction under a lock: of nodes that start at once one does, and the others find it.
 *
 * @throws PostgresOpenError `newer_schema`, `foreign_schema`; an error of the driver. Nothing is changed then.
 */
export async function setUpSchema(client: ClientBase, schema: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query({ text: 'SELECT pg_advisory_xact_lock($1::integer, $2::integer)', values: [...SET_UP_LOCK] });
    if (await isMissing(client, schema)) {
      for (const statement of CREATE(schema)) await client.query(statement);
    }
    // Added later, and nothing that an older node would mind: the version stays, so that it can still open the database.
    if (await isLogMissing(client, schema)) {
      for (const statement of CREATE_LOG(schema)) await client.query(statement);
    }
    await client.query('COMMIT');
  } catch (error) {
    // The connection may be what failed; then the server rolls back by itself.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

interface Found {
  readonly has_schema: boolean;
  readonly has_marker: boolean;
  readonly has_others: boolean;
}

async function isMissing(client: ClientBase, schema: string): Promise<boolean> {
  const found = await client.query<Found>({
    text: `SELECT
      EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS has_schema,
      EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname = 'schema_version') AS has_marker,
      EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname IN ('records', 'records_by_expiry', 'record_version')) AS has_others`,
    values: [schema],
  });
  const [state] = found.rows;
  if (state === undefined) throw new PostgresOpenError('unusable', 'the server answered without a row');
  if (!state.has_schema) {
    await createSchema(client, schema);
    return true;
  }
  if (state.has_marker) {
    await checkVersion(client, schema);
    return false;
  }
  if (state.has_others) throw foreign(schema);
  return true;
}

async function isLogMissing(client: ClientBase, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ missing: boolean }>({
    text: `SELECT NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = 'log_entries') AS missing`,
    values: [schema],
  });
  return rows[0]?.missing === true;
}

async function createSchema(client: ClientBase, schema: string): Promise<void> {
  try {
    await client.query(`CREATE SCHEMA ${schema}`);
  } catch (error) {
    if (codeOf(error) !== DUPLICATE_SCHEMA) throw error;
    // Somebody outside our lock was faster: what they made is looked at by the next start.
    throw new PostgresOpenError('unusable', `the schema ${schema} is being made by another program: start again`);
  }
}

async function checkVersion(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client
    .query<{ version: unknown }>(`SELECT version FROM ${schema}.schema_version`)
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
