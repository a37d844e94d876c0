import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { forSetting } from './start-error.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-start-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'file'), '');

const failing = async (setting: string, work: Promise<unknown>): Promise<Error> =>
  forSetting(setting, work).then(
    () => Promise.reject(new Error('it worked')),
    (error: Error) => error,
  );

const listening = (port: number, host: string) =>
  new Promise<void>((resolve, reject) => {
    const server = createServer().listen(port, host, () => server.close(() => resolve()));
    server.on('error', reject);
  });

describe('an error of the operating system', () => {
  it.each<[string, () => Promise<unknown>, string[]]>([
    ['a folder that is not there', () => open(join(folder, 'none', 'log'), 'a'), ['ENOENT', 'none', 'create it']],
    ['a file in place of a folder', () => open(join(folder, 'file', 'log'), 'a'), ['ENOTDIR', 'another path']],
    ['a folder in place of a file', () => open(folder, 'a'), ['EISDIR', 'another path']],
    ['an address of another machine', () => listening(0, '192.0.2.1'), ['EADDRNOTAVAIL', '192.0.2.1']],
  ])('names the setting, what stands in the way and what to do: %s', async (_name, work, told) => {
    const { name, message } = await failing('some.setting', work());
    expect(name).toBe('StartError');
    expect(message.startsWith('some.setting: ')).toBe(true);
    expect(message).toContain('\n  ');
    for (const text of told) expect(message).toContain(text);
  });
});

it('any other error stays what it is', async () => {
  const defect = new TypeError('a defect');
  expect(await failing('some.setting', Promise.reject(defect))).toBe(defect);
  expect(await forSetting('some.setting', Promise.resolve(1))).toBe(1);
});
