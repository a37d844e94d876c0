/**
 * The seam to SQLite itself: what this adapter asks of a driver, and which driver it takes.
 *
 * Node's own `node:sqlite` where the running Node has it without a flag (22.13 and later), otherwise
 * `@photostructure/sqlite`, which has the same API and is prebuilt. Another driver takes their place by this interface.
 */

/** A value as SQLite binds it. Text never occurs: keys and values are BLOBs, see `schema.ts`. */
export type SqlValue = null | number | Uint8Array;

/** A prepared statement. Rows are objects by column name, of whatever the database holds. */
export interface SqlStatement {
  run(...parameters: SqlValue[]): { readonly changes: number | bigint };
  get(...parameters: SqlValue[]): unknown;
  all(...parameters: SqlValue[]): readonly unknown[];
}

/** An open connection. Errors that SQLite reports carry its result code as `errcode`. */
export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  /** May leave the connection alive, idle, until its prepared statements are collected: see `file-lock.ts`. */
  close(): void;
}

export interface SqliteDriver {
  /** Opens a database file by absolute path, creating it when it is missing. */
  open(file: string): SqlDatabase;
  /** Makes what a file holds durable. Default: `fdatasync`, in a thread of libuv's pool. */
  flush?(descriptor: number): Promise<void>;
}

/** Loads the driver that this Node can run. */
export async function loadSqliteDriver(): Promise<SqliteDriver> {
  const builtIn: unknown = process.getBuiltinModule('node:sqlite');
  return sqliteDriverOf(builtIn ?? (await import('@photostructure/sqlite')));
}

/**
 * Makes a driver of a module with the `node:sqlite` API.
 *
 * @throws TypeError when the module has no `DatabaseSync`.
 */
export function sqliteDriverOf(module: unknown): SqliteDriver {
  const candidate: unknown =
    typeof module === 'object' && module !== null && 'DatabaseSync' in module ? module.DatabaseSync : undefined;
  if (typeof candidate !== 'function') throw new TypeError('not a module with the node:sqlite API');
  // The API of node:sqlite is documented; @types/node of the oldest Node we support does not describe it.
  const Database = candidate as new (file: string) => SqlDatabase;
  return { open: (file) => new Database(file) };
}
