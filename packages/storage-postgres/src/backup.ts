/** A consistent view of a schema for a backup, and its replacement by one; each is one transaction. */
import { StorageError, type StorageSnapshot, type StoredItem } from '@postern/ports';
import { Client } from 'pg';
import { safeCause } from './failure.js';
import { openDatabase } from './open-database.js';
import { PostgresOpenError } from './open-error.js';
import type { PostgresStorageOptions } from './options.js';
import { type RecordRow, recordOf, textToBytes } from './rows.js';
import { settingsOf } from './settings.js';

const PAGE = 1_000;
/** Above every version that was given before: an old one must never name a new record. */
const VERSION_GAP = 2n ** 32n;

/** How to connect. Never a pool: each of the two dials a connection of its own. */
type DialOptions = Omit<PostgresStorageOptions, 'pool'>;

/**
 * Opens a snapshot: REPEATABLE READ, so that all pages are of one moment. It stops no server.
 *
 * @throws PostgresOpenError as `openPostgresStorage` does; TypeError for a pool.
 */
export async function openPostgresSnapshot(options: DialOptions = {}): Promise<StorageSnapshot> {
  const { client, schema } = await connect(options);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows } = await client.query<{ last: string }>(
      `SELECT last_value::text AS last FROM ${schema}.record_version`,
    );
    return { items: itemsOf(client, schema), lastVersion: rows[0]?.last ?? '0', close: () => client.end() };
  } catch (error) {
    await client.end();
    throw unavailable(error);
  }
}

async function* itemsOf(client: Client, schema: string): AsyncGenerator<StoredItem> {
  try {
    for (let after: Buffer = Buffer.alloc(0); ; ) {
      const { rows } = await client.query<RecordRow>(
        `SELECT key, value, version, expires_at FROM ${schema}.records WHERE key > $1 ORDER BY key LIMIT ${PAGE}`,
        [after],
      );
      for (const row of rows) yield { kind: 'record', record: recordOf(row) };
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.key;
    }
    for (let after = '0'; ; ) {
      const { rows } = await client.query<{ position: string; log: Buffer; value: Buffer }>(
        `SELECT position, log, value FROM ${schema}.log_entries WHERE position > $1 ORDER BY position LIMIT ${PAGE}`,
        [after],
      );
      for (const { log, value } of rows)
        yield { kind: 'entry', log: log.toString('utf8'), value: value.toString('utf8') };
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.position;
    }
  } catch (error) {
    throw unavailable(error);
  }
}

export interface PostgresRestoreOptions extends DialOptions {
  /** Replace what the schema holds. Default: only where it holds nothing. */
  readonly replace?: boolean | undefined;
}

/**
 * @param expected asked after everything was read: what the backup says that it holds. It may throw; nothing is replaced then.
 * @throws PostgresOpenError as `openPostgresStorage` does, `unusable` where the schema holds something; TypeError for a pool;
 *   StorageError `unavailable`: nothing was replaced.
 */
export async function restorePostgresStorage(
  { replace = false, ...options }: PostgresRestoreOptions,
  { items, lastVersion }: Pick<StorageSnapshot, 'items' | 'lastVersion'>,
  expected: () => { readonly records: number; readonly entries: number },
): Promise<{ readonly records: number; readonly entries: number }> {
  const { client, schema } = await connect(options);
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL lock_timeout = '10s'");
    // Servers wait from here on, and find all or nothing.
    await client.query(`LOCK TABLE ${schema}.records, ${schema}.log_entries IN ACCESS EXCLUSIVE MODE`);
    const { rows } = await client.query(`SELECT 1 FROM ${schema}.records LIMIT 1`);
    if (rows.length > 0 && !replace) {
      throw new PostgresOpenError(
        'unusable',
        `the schema ${schema} holds records already: pass --replace to put the backup in their place`,
      );
    }
    await client.query(`TRUNCATE ${schema}.records, ${schema}.log_entries`);
    // Its rows follow those of the records, except where they are all dropped at once. A schema of an earlier release has none.
    const { rows: tables } = await client.query(`SELECT 1 WHERE to_regclass('${schema}.record_expiries') IS NOT NULL`);
    if (tables.length > 0) await client.query(`TRUNCATE ${schema}.record_expiries`);
    const counts = await load(client, schema, items);
    const wanted = expected();
    if (counts.records !== wanted.records || counts.entries !== wanted.entries) {
      throw new PostgresOpenError('unusable', 'not all that the backup names was read: take another backup');
    }
    await client.query(
      `SELECT setval('${schema}.record_version', greatest(last_value, $1::bigint))
      FROM ${schema}.record_version`,
      [String(BigInt(lastVersion) + VERSION_GAP)],
    );
    await client.query('COMMIT');
    return counts;
  } catch (error) {
    throw error instanceof Error && 'severity' in error ? unavailable(error) : error;
  } finally {
    // Ends a transaction that was not committed.
    await client.end();
  }
}

async function load(client: Client, schema: string, items: AsyncIterable<StoredItem>) {
  let records: (readonly unknown[])[] = [];
  let entries: (readonly unknown[])[] = [];
  const counts = { records: 0, entries: 0 };
  const flush = async () => {
    const column = (rows: readonly (readonly unknown[])[], at: number) => rows.map((row) => row[at]);
    if (records.length > 0) {
      await client.query(
        `INSERT INTO ${schema}.records (key, value, version, expires_at)
          SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[])`,
        [0, 1, 2, 3].map((at) => column(records, at)),
      );
    }
    if (entries.length > 0) {
      await client.query(
        `INSERT INTO ${schema}.log_entries (log, value)
          SELECT log, value FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY e (log, value, place) ORDER BY place`,
        [column(entries, 0), column(entries, 1)],
      );
    }
    records = [];
    entries = [];
  };
  for await (const item of items) {
    if (item.kind === 'record') {
      const { key, value, version, expiresAt } = item.record;
      records.push([textToBytes(key), textToBytes(value), version, expiresAt ?? null]);
      counts.records += 1;
    } else {
      entries.push([textToBytes(item.log), textToBytes(item.value)]);
      counts.entries += 1;
    }
    if (records.length + entries.length >= PAGE) await flush();
  }
  await flush();
  return counts;
}

/** A connection of its own, to a schema that is there and whole. */
async function connect(options: DialOptions): Promise<{ client: Client; schema: string }> {
  const settings = settingsOf(options);
  if (settings.given !== undefined) throw new TypeError('pool: say how to connect instead');
  await (await openDatabase(settings)).end();
  const client = new Client(settings.pool);
  // What breaks shows at the next question.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw unavailable(error);
  }
  return { client, schema: settings.schema };
}

function unavailable(error: unknown): StorageError {
  return new StorageError('unavailable', 'The database failed; nothing was changed.', { cause: safeCause(error) });
}
