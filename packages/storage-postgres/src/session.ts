/**
 * How each connection is set up, in one question before its first use: whatever the server's, the database's or the user's
 * defaults are, ours are the same everywhere.
 */
import type { ClientBase, QueryConfig } from 'pg';
import { PostgresOpenError } from './open-error.js';

/** The oldest that has `plan_cache_mode`, and is what its makers still mended when this was written. */
const OLDEST_SERVER = 130_000;

/**
 * `synchronous_commit`: an answer means that the commit is on the disk (and at the synchronous standbys, where there are
 * any); `remote_apply` says more, and stays. Plans: an index serves every statement, so neither sorting nor
 * scanning a table may ever look cheaper, whatever the statistics say. `search_path`: nobody's function is taken for one
 * of PostgreSQL.
 */
const SET_UP = `SELECT
  set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('default_transaction_read_only', 'off', false),
  set_config('statement_timeout', $1::text, false),
  set_config('lock_timeout', '0', false),
  set_config('search_path', 'pg_catalog', false),
  set_config('bytea_output', 'hex', false),
  set_config('enable_seqscan', 'off', false),
  set_config('enable_bitmapscan', 'off', false),
  set_config('enable_sort', 'off', false),
  set_config('jit', 'off', false),
  set_config('plan_cache_mode', 'force_generic_plan', false),
  pg_is_in_recovery() AS is_replica,
  current_setting('server_version_num')::integer AS server_version`;

/** @throws PostgresOpenError `replica`, `unusable`; an error of the driver. */
export async function setUpSession(client: ClientBase, statementTimeoutMs: number): Promise<void> {
  const question: QueryConfig & { readonly query_timeout: number } = {
    text: SET_UP,
    values: [String(statementTimeoutMs)],
    query_timeout: statementTimeoutMs,
  };
  const { rows } = await client.query<{ is_replica: boolean; server_version: number }>(question);
  const [state] = rows;
  if (state === undefined) throw new PostgresOpenError('unusable', 'the server answered without a row');
  if (state.server_version < OLDEST_SERVER) {
    throw new PostgresOpenError('unusable', 'the server is older than PostgreSQL 13: use a newer one');
  }
  if (state.is_replica) {
    throw new PostgresOpenError('replica', 'the server is a standby, which cannot be written: name the primary');
  }
}
