/** The token in a file. */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeTokenFile } from './private-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postern-token-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is for its owner alone, whatever stood there', async () => {
  const file = join(folder, 'token');
  writeFileSync(file, 'old', { mode: 0o644 });
  await writeTokenFile(file, 's.new');
  expect([readFileSync(file, 'utf8'), lstatSync(file).mode & 0o777]).toEqual(['s.new\n', 0o600]);
  expect(readdirSync(folder)).toEqual(['token']);
});

it('replaces a link, and does not write where it leads', async () => {
  const [file, elsewhere] = [join(folder, 'token'), join(folder, 'elsewhere')];
  writeFileSync(elsewhere, 'untouched');
  symlinkSync(elsewhere, file);
  await writeTokenFile(file, 's.new');
  expect([lstatSync(file).isFile(), readFileSync(elsewhere, 'utf8')]).toEqual([true, 'untouched']);
});

it('says why it could not, and not what', async () => {
  const error = await writeTokenFile(join(folder, 'missing', 'token'), 'canary').catch((each) => each);
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(`${error.stack}`).not.toContain('canary');
  symlinkSync(folder, join(folder, 'x'));
  await writeTokenFile(join(folder, 'x', 'token'), 'fine');
  expect(readdirSync(folder).sort()).toEqual(['token', 'x']);
});
