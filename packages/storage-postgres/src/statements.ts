/** Every statement, by the name under which each connection keeps it prepared. `$n` are the parameters. */

export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Statements = Readonly<
  Record<
    | 'now'
    | 'get'
    | 'getMany'
    | 'listKeys'
    | 'listRecords'
    | 'listExpired'
    | 'commit'
    | 'append'
    | 'readLog'
    | 'removeFromLog',
    Statement
  >
>;

/** @param schema a name that was checked. */
export function statementsOf(schema: string): Statements {
  const records = `${schema}.records`;
  const columns = 'key, value, version, expires_at';
  return {
    now: { name: 'postern_now', text: 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now' },
    get: { name: 'postern_get', text: `SELECT ${columns} FROM ${records} WHERE key = $1` },
    getMany: { name: 'postern_get_many', text: `SELECT ${columns} FROM ${records} WHERE key = ANY ($1::bytea[])` },
    listKeys: {
      name: 'postern_list_keys',
      text: `SELECT key FROM ${records} WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3::bigint`,
    },
    listRecords: {
      name: 'postern_list_records',
      text: `SELECT ${columns} FROM ${records} WHERE key >= $1 AND key < $2 ORDER BY key LIMIT $3::bigint`,
    },
    listExpired: {
      name: 'postern_list_expired',
      text: `SELECT ${columns} FROM ${records}
        WHERE expires_at IS NOT NULL AND (expires_at, key) > ($1::bigint, $2::bytea) AND expires_at < $3::bigint
          AND key >= $4 AND key < $5
        ORDER BY expires_at, key LIMIT $6::bigint`,
    },
    commit: {
      name: 'postern_commit',
      text: `SELECT failed, versions FROM ${schema}.commit_operations(
        $1::bigint[], $2::boolean[], $3::text[], $4::bytea[], $5::bigint[], $6::bytea[], $7::bigint[])`,
    },
    append: {
      name: 'postern_append',
      text: `SELECT failed, versions, positions FROM ${schema}.commit_and_append(
        $1::bigint[], $2::boolean[], $3::text[], $4::bytea[], $5::bigint[], $6::bytea[], $7::bigint[],
        $8::bytea[], $9::bytea[])`,
    },
    readLog: {
      name: 'postern_read_log',
      text: `SELECT position, value FROM ${schema}.log_entries WHERE log = $1 ORDER BY position LIMIT $2::bigint`,
    },
    removeFromLog: {
      name: 'postern_remove_from_log',
      text: `DELETE FROM ${schema}.log_entries WHERE log = $1 AND position = ANY ($2::bigint[])`,
    },
  };
}
