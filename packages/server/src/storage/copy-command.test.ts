/** `postern storage copy` on database files: what it refuses, and what it tells (STORE-10). */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Terminal } from '../terminal.js';
import { copyStorages } from './copy-command.js';
import { createCopyProgress } from './copy-progress.js';
import { openStorageFormat } from './storage-format.js';

let folder = '';
let printed = '';
const terminal: Terminal = {
  printOut: (text) => {
    printed += text;
  },
  printError: () => undefined,
  isInteractive: false,
  wantsColour: false,
};
const path = (name: string) => join(folder, name);
const open = (name: string) => openSqliteStorage({ file: path(`${name}.db`), lockWaitMs: 0 });
const copy = (from: string, to: string) => copyStorages(path(`${from}.json`), path(`${to}.json`), terminal);
const failureOf = (work: Promise<unknown>) => work.then(() => 'none', String);
const configure = (name: string, more: object = {}) =>
  writeFileSync(path(`${name}.json`), JSON.stringify({ storage: { file: `./${name}.db` }, ...more }));

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postern-copy-'));
  printed = '';
  configure('a', { registry: {}, sealing: { keyFile: './one.key', former: [{ keyFile: './two.key' }] } });
  configure('b', { sealing: { keyFile: './two.key' } });
  const storage = await open('a');
  await openStorageFormat(storage);
  for (let at = 0; at < 100; at += 20) {
    await storage.commit(
      Array.from({ length: 20 }, (_, of) => ({ type: 'put', key: `k/${at + of}`, value: `v${at + of}`, if: 'absent' })),
    );
  }
  await storage.commit([
    { type: 'put', key: 'k/7', value: 'v', expiresAt: 5, if: 'present' },
    { type: 'append', log: 'events', value: 'one' },
    { type: 'append', log: 'events', value: 'two' },
  ]);
  await storage.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

it('copies a database file, and tells what it does not copy', async () => {
  await copy('a', 'b');
  expect(printed).toMatch(
    /^copied 101 records and 2 log entries, 102 of them now; .* equal:\n {2}sha256 [0-9a-f]{64}\n/,
  );
  expect(printed).toContain(`${path('one.key')}, which seals secrets`);
  expect(printed).not.toContain('two.key');
  expect(printed).toContain(`${path('archives')}: TO looks for them in ${path('archives')}`);
  const copied = await open('b');
  expect(await copied.get('k/7')).toMatchObject({ value: 'v', expiresAt: 5 });
  expect((await copied.readLog('events', { limit: 9 })).map(({ value }) => value)).toEqual(['one', 'two']);
  expect((await copied.listExpired('', 10, { limit: 9 })).items.map(({ key }) => key)).toEqual(['k/7']);
  await openStorageFormat(copied);
  await copied.commit([{ type: 'put', key: 'k/8', value: 'v', if: 'present' }]);
  await copied.close();
  expect(await failureOf(copy('a', 'b'))).toContain('TO is not empty');
});

it('is refused while a server has either file, from a file that is not there, and into itself', async () => {
  const source = await open('a');
  expect(await failureOf(copy('a', 'b'))).toContain('in use');
  await source.close();
  const target = await open('b');
  expect(await failureOf(copy('a', 'b'))).toContain('in use');
  await target.close();
  configure('c');
  expect(await failureOf(copy('c', 'b'))).toContain('no such file');
  expect(existsSync(path('c.db'))).toBe(false);
  expect(await failureOf(copy('a', 'a'))).toContain('the same storage');
});

it('tells its progress in one line of a terminal, and in lines elsewhere', () => {
  let now = 0;
  let said = '';
  const tell = (isInteractive: boolean) => {
    said = '';
    now = 0;
    const printError = (text: string) => {
      said += text;
    };
    const progress = createCopyProgress({ ...terminal, printError, isInteractive }, () => now);
    progress.show('reading', 1, undefined);
    for (now = 100; now <= 20_000; now += 100) progress.show('copying', now, 100_000);
    progress.end();
    return said;
  };
  expect(tell(false)).toBe(
    'copying: 10000 of 100000 records, 1010/s, 2 min left\ncopying: 20000 of 100000 records, 1005/s, 2 min left\n',
  );
  expect(tell(true).split('\r\u001b[K').slice(1, 3)).toEqual([
    'copying: 200 of 100000 records, 2000/s, 50 s left',
    'copying: 400 of 100000 records, 1333/s, 2 min left',
  ]);
  expect(said.endsWith('\r\u001b[K')).toBe(true);
  expect(said).not.toContain('\n');
});
