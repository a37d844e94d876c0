/** `postern backup` and `postern restore` on a database file (STORE-8). */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStorage } from '@postern/storage-sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '../terminal.js';
import { backUp, restore } from './backup-command.js';

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
const open = () => openSqliteStorage({ file: path('postern.db'), lockWaitMs: 0 });
const back = (replace = true) => restore({ config: path('config.json'), from: path('a.backup'), replace }, terminal);
const failureOf = (work: Promise<unknown>) => work.then(() => 'none', String);

/** U+2028 ends a line for Node's reader, U+0000 cuts text in drivers. */
const STRANGE = 'a\u0000\u2028\u2029"\r\n\u{1F511}';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'postern-backup-'));
  printed = '';
  writeFileSync(path('config.json'), JSON.stringify({ storage: { file: './postern.db' } }));
  const storage = await open();
  for (let at = 0; at < 1_200; at += 20) {
    await storage.commit(
      Array.from({ length: 20 }, (_, of) => ({ type: 'put', key: `k/${at + of}`, value: `v${at + of}`, if: 'absent' })),
    );
  }
  await storage.commit([
    { type: 'put', key: STRANGE, value: STRANGE, expiresAt: 5, if: 'absent' },
    { type: 'append', log: 'events', value: 'one' },
    { type: 'append', log: 'events', value: STRANGE },
  ]);
  await storage.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('O1: a backup', () => {
  it('is of one moment while a server writes, and a restore brings exactly that back', async () => {
    const storage = await open();
    const strange = await storage.get(STRANGE);
    const backup = backUp(path('config.json'), path('a.backup'), terminal);
    await storage.commit([{ type: 'put', key: 'later', value: 'v', if: 'absent' }]);
    await backup;
    const { versions } = await storage.commit([{ type: 'put', key: 'k/0', value: 'changed', if: 'present' }]);
    expect(await failureOf(back())).toContain('in use');
    await storage.close();
    expect(statSync(path('a.backup')).mode & 0o077).toBe(0);

    await back();
    expect(printed).toContain('1201 records and 2 log entries');
    const restored = await open();
    expect(await restored.get(STRANGE)).toEqual(strange);
    expect((await restored.get('k/0'))?.value).toBe('v0');
    expect((await restored.readLog('events', { limit: 9 })).map(({ value }) => value)).toEqual(['one', STRANGE]);
    // No version that was given after the backup is given again.
    const next = await restored.commit([{ type: 'put', key: 'k/0', value: 'x', if: 'present' }]);
    expect(Number(next.versions[0])).toBeGreaterThan(Number(versions[0]));
    await restored.close();
    expect(readdirSync(folder).filter((name) => /^postern\.db\.replaced-[\w-]+Z$/.test(name))).toHaveLength(1);
  });

  it('that is cut, altered or of another version replaces nothing', async () => {
    await backUp(path('config.json'), path('a.backup'), terminal);
    const whole = readFileSync(path('a.backup'), 'utf8');
    const lines = whole.split('\n');
    const torn: readonly (readonly [string, string])[] = [
      ['cut', whole.slice(0, whole.length / 2)],
      ['no end', lines.slice(0, -2).join('\n')],
      ['a line less', lines.toSpliced(5, 1).join('\n')],
      ['another value', whole.replace('"v7"', '"v8"')],
      ['twice', `${whole}${whole}`],
      ['another version', whole.replace('"version":1,', '"version":2,')],
      ['empty', ''],
      ['something else', '{}\n'],
    ];
    const before = readFileSync(path('postern.db'));
    for (const [name, text] of torn) {
      writeFileSync(path('a.backup'), text);
      expect([name, await failureOf(back())]).toEqual([name, expect.stringContaining('Nothing was restored')]);
    }
    expect(readFileSync(path('postern.db')).equals(before)).toBe(true);
  });

  it('goes over what is there only where that is asked for, and to no file that is there', async () => {
    await backUp(path('config.json'), path('a.backup'), terminal);
    expect(await failureOf(back(false))).toContain('--replace');
    expect(await failureOf(backUp(path('config.json'), path('a.backup'), terminal))).toContain('there already');
    rmSync(path('postern.db'));
    await back(false);
    expect((await (await open()).get('k/7'))?.value).toBe('v7');
  });

  it('a restore that broke off stops the start, and can be run again', async () => {
    await backUp(path('config.json'), path('a.backup'), terminal);
    writeFileSync(path('postern.db-restoring'), 'half');
    expect(await failureOf(open())).toContain('a restore broke off');
    await back();
    await (await open()).close();
    expect(existsSync(path('postern.db-restoring'))).toBe(false);
  });

  it('of a damaged file is refused, and so is a start from it', async () => {
    const bytes = readFileSync(path('postern.db'));
    bytes.fill(0xff, 4096 * 3, 4096 * 6);
    writeFileSync(path('postern.db'), bytes);
    expect(await failureOf(backUp(path('config.json'), path('b.backup'), terminal))).toContain('damaged');
    expect(await failureOf(open())).toContain('damaged');
    expect(existsSync(path('b.backup'))).toBe(false);
  });
});
