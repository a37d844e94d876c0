/** The real driver with a hand on its `exec` and its flushes: counts transactions, and fails or delays them as a disk would. */
import { fdatasync } from 'node:fs';
import { promisify } from 'node:util';
import { loadSqliteDriver, type SqlDatabase, type SqliteDriver } from '../src/driver.js';

export interface FaultyDriver extends SqliteDriver {
  /** The connection to the database itself, not that of the lock. */
  database(): SqlDatabase;
  /** How many transactions were committed since the opening. */
  commits(): number;
  /** The next COMMIT fails with this SQLite result code, after it took effect or instead of it. */
  failNextCommit(resultCode: number, effect: 'applied' | 'not_applied'): void;
  /** How many flushes of the log began. */
  flushes(): number;
  /** The next flush waits for this, and fails where it rejects. */
  holdNextFlush(until: () => Promise<unknown>): void;
  /** What was prepared. */
  readonly sql: readonly string[];
}

export async function createFaultyDriver(): Promise<FaultyDriver> {
  const real = await loadSqliteDriver();
  let opened: SqlDatabase | undefined;
  let commits = 0;
  let flushes = 0;
  let held: (() => Promise<unknown>) | undefined;
  const sql: string[] = [];
  let failure: { readonly code: number; readonly effect: 'applied' | 'not_applied' } | undefined;
  const wrap = (database: SqlDatabase): SqlDatabase => ({
    prepare: (text) => {
      sql.push(text);
      return database.prepare(text);
    },
    close: () => database.close(),
    exec: (text) => {
      const failing = text === 'COMMIT' ? failure : undefined;
      if (failing?.effect !== 'not_applied') database.exec(text);
      if (text === 'COMMIT') commits += 1;
      if (failing === undefined) return;
      failure = undefined;
      throw Object.assign(new Error('injected'), { code: 'ERR_SQLITE_ERROR', errcode: failing.code });
    },
  });
  return {
    open: (file) => {
      const database = real.open(file);
      if (file.endsWith('-lock')) return database;
      opened = database;
      return wrap(database);
    },
    database: () => {
      if (opened === undefined) throw new Error('Nothing is open.');
      return opened;
    },
    flush: async (descriptor) => {
      flushes += 1;
      const until = held;
      held = undefined;
      await until?.();
      await promisify(fdatasync)(descriptor);
    },
    flushes: () => flushes,
    holdNextFlush: (until) => {
      held = until;
    },
    sql,
    commits: () => commits,
    failNextCommit: (code, effect) => {
      failure = { code, effect };
    },
  };
}
