/** The real driver with a hand on its `exec`: counts transactions, and fails them as a disk would. */
import { loadSqliteDriver, type SqlDatabase, type SqliteDriver } from '../src/driver.js';

export interface FaultyDriver extends SqliteDriver {
  /** The connection to the database itself, not that of the lock. */
  database(): SqlDatabase;
  /** How many transactions were committed since the opening. */
  commits(): number;
  /** The next COMMIT fails with this SQLite result code, after it took effect or instead of it. */
  failNextCommit(resultCode: number, effect: 'applied' | 'not_applied'): void;
}

export async function createFaultyDriver(): Promise<FaultyDriver> {
  const real = await loadSqliteDriver();
  let opened: SqlDatabase | undefined;
  let commits = 0;
  let failure: { readonly code: number; readonly effect: 'applied' | 'not_applied' } | undefined;
  const wrap = (database: SqlDatabase): SqlDatabase => ({
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
    exec: (sql) => {
      const failing = sql === 'COMMIT' ? failure : undefined;
      if (failing?.effect !== 'not_applied') database.exec(sql);
      if (sql === 'COMMIT') commits += 1;
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
    commits: () => commits,
    failNextCommit: (code, effect) => {
      failure = { code, effect };
    },
  };
}
