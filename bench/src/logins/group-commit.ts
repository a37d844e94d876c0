/** The least that a durable row costs: one insert, committed with those of its turn of the event loop, on the disk. */
import { join } from 'node:path';
import { loadSqliteDriver } from '@postern/storage-sqlite';

export interface GroupCommit {
  /** Resolves once a row of this id is on the disk. */
  commit(id: string): Promise<void>;
  close(): void;
}

/** About what a login leaves behind. */
const ROW_BYTES = 600;

/** Makes the database `ceiling.db` in a folder. */
export async function openGroupCommit(folder: string): Promise<GroupCommit> {
  const database = (await loadSqliteDriver()).open(join(folder, 'ceiling.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec('CREATE TABLE logins (id BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID');
  const insert = database.prepare('INSERT INTO logins VALUES (?, ?)');
  const row = Buffer.alloc(ROW_BYTES, 'x');

  let waiting: { id: string; done: () => void }[] = [];
  const flush = () => {
    const group = waiting;
    waiting = [];
    database.exec('BEGIN IMMEDIATE');
    for (const { id } of group) insert.run(Buffer.from(id), row);
    database.exec('COMMIT');
    for (const { done } of group) done();
  };
  return {
    commit: (id) =>
      new Promise<void>((done) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ id, done });
      }),
    close: () => database.close(),
  };
}
