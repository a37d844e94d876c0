/** W9: files that a start trusts must not be writable by others. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { StartError } from '../start-error.js';
import { checkPermissions } from './file-permissions.js';

const root = mkdtempSync(join(tmpdir(), 'postern-modes-'));
afterAll(() => rmSync(root, { recursive: true }));

let made = 0;
function place(fileMode: number, folderMode: number) {
  made += 1;
  const folder = join(root, `${made}`);
  mkdirSync(folder);
  const path = join(folder, 'config.json');
  writeFileSync(path, '{}');
  chmodSync(path, fileMode);
  chmodSync(folder, folderMode);
  return { setting: '--config', path };
}

describe('W9: a file', () => {
  it.each([
    [0o600, 0o700],
    [0o644, 0o755],
    [0o644, 0o1777],
  ])('of mode %o in a folder of mode %o is taken', (file, folder) => {
    expect(checkPermissions([place(file, folder)])).toEqual([]);
  });

  it.each([
    [0o646, 0o755],
    [0o666, 0o755],
    [0o644, 0o777],
  ])('of mode %o in a folder of mode %o is refused: every user may write or replace it', (file, folder) => {
    expect(() => checkPermissions([place(file, folder)])).toThrow(StartError);
    expect(() => checkPermissions([place(file, folder)])).toThrow(/^--config: .*chmod o-w/);
  });

  it.each([
    [0o664, 0o755],
    [0o644, 0o775],
  ])('of mode %o in a folder of mode %o is warned of', (file, folder) => {
    expect(checkPermissions([place(file, folder)])).toEqual([expect.stringContaining('the group may write')]);
  });

  it('that is missing is reported elsewhere; a data folder is judged by itself', () => {
    expect(checkPermissions([{ setting: 'x', path: join(root, 'none', 'none') }])).toEqual([]);
    const { path } = place(0o600, 0o777);
    expect(() => checkPermissions([], [{ setting: 'storage.file', path: join(path, '..') }])).toThrow(/storage\.file/);
  });
});
