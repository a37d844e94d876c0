/** Every statement. `$n` are the parameters. */
import { createHash } from 'node:crypto';

export interface Statement {
  /**
   * Under which a connection keeps it prepared. Made from its text: behind a pooler a connection of the server serves several
   * clients, and another schema's statement of the same name must never answer.
   */
  readonly name: string;
  readonly text: string;
}

type Name =
  | 'now'
  | 'getMany'
  | 'listKeys'
  | 'listRecords'
  | 'listExpired'
  | 'settleExpiries'
  | 'listExpiredOlder'
  | 'commit'
  | 'readLog'
  | 'removeFromLog';

export type Statements = Readonly<Record<Name, Statement>>;

/** @param schema a name that was checked. */
export function statementsOf(schema: string): Statements {
  const records = `${schema}.records`;
  const columns = 'key, value, version, expires_at';
  return {
    now: statement('SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now'),
    getMany: statement(`SELECT ${columns} FROM ${records} WHERE key = ANY ($1::bytea[])`),
    listKeys: statement(`SELECT key FROM ${records} WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3::bigint`),
    listRecords: statement(
      `SELECT ${columns} FROM ${records} WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3::bigint`,
    ),
    listExpired: statement(`SELECT r.key, r.value, r.version, r.expires_at
      FROM ${schema}.record_expiries e JOIN ${records} r ON r.key = e.key AND r.expires_at = e.expires_at
      WHERE (e.expires_at, e.key) > ($1::bigint, $2::bytea) AND e.expires_at < $3::bigint
        AND e.key || '' >= $4 AND e.key || '' < $5
      ORDER BY e.expires_at, e.key LIMIT $6::bigint`),
    settleExpiries: statement(`SELECT ${schema}.settle_expiries($1::bigint) AS settled`),
    // Of a schema of version 1. `key || ''`: the planner must not take the range of keys for the narrower condition, and read all of it.
    listExpiredOlder: statement(`SELECT ${columns} FROM ${records}
      WHERE expires_at IS NOT NULL AND (expires_at, key) > ($1::bigint, $2::bytea) AND expires_at < $3::bigint
        AND key || '' >= $4 AND key || '' < $5
      ORDER BY expires_at, key LIMIT $6::bigint`),
    commit: statement(`SELECT failed, versions, positions FROM ${schema}.commit_rows(
      $1::text[], $2::bytea[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bytea[], $7::bytea[], $8::integer, $9::boolean)`),
    readLog: statement(
      `SELECT position, value FROM ${schema}.log_entries WHERE log = $1 ORDER BY position LIMIT $2::bigint`,
    ),
    removeFromLog: statement(`DELETE FROM ${schema}.log_entries WHERE log = $1 AND position = ANY ($2::bigint[])`),
  };
}

export function statement(text: string): Statement {
  return { name: `postern_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, text };
}
