/**
 * What each new connection is asked before its first use. Nothing is set: behind a pooler in transaction mode the next
 * transaction may have another session, and this one goes to another client.
 */
import type { ClientBase, QueryConfig } from 'pg';
import { columnTypes } from './column-types.js';
import { PostgresOpenError } from './open-error.js';

/** The oldest that its makers still mended when this was written. */
const OLDEST_SERVER = 130_000;

const CHECK = `SELECT pg_is_in_recovery() AS is_replica,
  current_setting('transaction_read_only') = 'on' AS is_read_only,
  current_setting('server_version_num')::integer AS server_version`;

/** @throws PostgresOpenError `replica`, `unusable`; an error of the driver. */
export async function checkSession(client: ClientBase, timeoutMs: number): Promise<void> {
  const question: QueryConfig & { readonly query_timeout: number } = {
    text: CHECK,
    types: columnTypes,
    query_timeout: timeoutMs,
  };
  const { rows } = await client.query<{ is_replica: boolean; is_read_only: boolean; server_version: number }>(question);
  const [state] = rows;
  if (state === undefined) throw new PostgresOpenError('unusable', 'the server answered without a row');
  if (state.server_version < OLDEST_SERVER) {
    throw new PostgresOpenError('unusable', 'the server is older than PostgreSQL 13: use a newer one');
  }
  if (state.is_replica) {
    throw new PostgresOpenError('replica', 'the server is a standby, which cannot be written: name the primary');
  }
  if (state.is_read_only) {
    throw new PostgresOpenError(
      'unusable',
      'default_transaction_read_only is on: run ALTER ROLE … SET default_transaction_read_only = off for this user',
    );
  }
}
