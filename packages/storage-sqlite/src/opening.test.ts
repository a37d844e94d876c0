/** Opening: who may read the files, and which files are refused, with the reason as a code. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../test/temporary-folder.js';
import { SQL } from './connection.js';
import { loadSqliteDriver, sqliteDriverOf } from './driver.js';
import { isSqliteOpenError } from './open-error.js';
import { SCHEMA_VERSION } from './schema.js';
import { openSqliteStorage } from './sqlite-storage.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const modeOf = (path: string) => statSync(path).mode & 0o777;
const attempt = (file: string) => openSqliteStorage({ file, lockWaitMs: 0 }).catch((error: unknown) => error);

async function execute(file: string, sql: string): Promise<void> {
  const database = (await loadSqliteDriver()).open(file);
  database.exec(sql);
  database.close();
}

describe('files', () => {
  it('are created in a folder of the owner alone, each readable by the owner alone', async () => {
    const storage = await openSqliteStorage({ file: folder.path('new', 'data', 'postern.db') });
    await storage.commit([{ type: 'put', key: 'k', value: 'v', if: 'absent' }]);
    expect([modeOf(folder.path('new')), modeOf(folder.path('new', 'data'))]).toEqual([0o700, 0o700]);
    const files = readdirSync(folder.path('new', 'data'));
    expect(files).toContain('postern.db-wal');
    expect(files.map((name) => modeOf(folder.path('new', 'data', name)))).toEqual(files.map(() => 0o600));
    await storage.close();
  });

  it('that others could read are made private, and an existing folder is left as it is', async () => {
    const file = folder.path('open', 'postern.db');
    mkdirSync(folder.path('open'), { mode: 0o755 });
    chmodSync(folder.path('open'), 0o755);
    await (await openSqliteStorage({ file })).close();
    chmodSync(file, 0o644);
    const storage = await openSqliteStorage({ file });
    expect([modeOf(file), modeOf(folder.path('open'))]).toEqual([0o600, 0o755]);
    await storage.close();
  });

  it('named like SQLite’s in-memory database or a URI are files all the same', async () => {
    const storage = await openSqliteStorage({ file: folder.path(':memory:') });
    await storage.close();
    expect(readdirSync(folder.path())).toContain(':memory:');
  });

  it('hold everything in the database file alone after closing', async () => {
    const file = folder.path('postern.db');
    const storage = await openSqliteStorage({ file });
    await storage.commit([{ type: 'put', key: 'k', value: 'v', if: 'absent' }]);
    await storage.close();
    writeFileSync(folder.path('copy.db'), readFileSync(file));
    const copy = await openSqliteStorage({ file: folder.path('copy.db') });
    expect((await copy.get('k'))?.value).toBe('v');
    await copy.close();
  });
});

describe('a file is refused', () => {
  it('while this process has it open, and opens after closing', async () => {
    const file = folder.path('postern.db');
    const storage = await openSqliteStorage({ file });
    expect(await attempt(file)).toMatchObject({ name: 'SqliteOpenError', code: 'in_use', file });
    await storage.commit([{ type: 'put', key: 'k', value: 'v', if: 'absent' }]);
    await storage.close();
    await (await openSqliteStorage({ file, lockWaitMs: 0 })).close();
  });

  it('when a newer schema is in it, and is left as it was', async () => {
    const file = folder.path('postern.db');
    await (await openSqliteStorage({ file })).close();
    await execute(file, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    const before = readFileSync(file);
    expect(await attempt(file)).toMatchObject({ code: 'newer_schema' });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('when it is a database of another program, and is left as it was, mode included', async () => {
    const file = folder.path('other.db');
    await execute(file, 'CREATE TABLE other (x)');
    chmodSync(file, 0o644);
    const before = readFileSync(file);
    expect(await attempt(file)).toMatchObject({ code: 'foreign_file' });
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(modeOf(file)).toBe(0o644);
  });

  it('when it is no database', async () => {
    const file = folder.path('text.txt');
    writeFileSync(file, 'certainly no database '.repeat(100));
    expect(await attempt(file)).toMatchObject({ code: 'foreign_file' });
  });

  it('when it is a folder, or below a file', async () => {
    mkdirSync(folder.path('folder'));
    writeFileSync(folder.path('file'), '');
    expect(await attempt(folder.path('folder'))).toMatchObject({ code: 'unusable' });
    const error = await attempt(folder.path('file', 'postern.db'));
    expect(error).toMatchObject({ code: 'unusable' });
    expect(isSqliteOpenError(error)).toBe(true);
  });
});

describe('queries', () => {
  it.each([
    ['listKeys', 'COVERING INDEX records_by_key'],
    ['listRecords', 'INDEX records_by_key'],
    ['listExpired', 'INDEX records_by_expiry'],
  ] as const)('%s starts at its place in an index, and sorts nothing', async (name, index) => {
    const file = folder.path('postern.db');
    await (await openSqliteStorage({ file })).close();
    const database = (await loadSqliteDriver()).open(file);
    const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${SQL[name]}`).all());
    database.close();
    expect(plan).toContain(`SEARCH records USING ${index}`);
    expect(plan).not.toContain('TEMP B-TREE');
  });
});

it.each([undefined, {}, { DatabaseSync: 1 }])('a module without the node:sqlite API is no driver', (module) => {
  expect(() => sqliteDriverOf(module)).toThrow(TypeError);
});
