/** The index of cases: every case of a covered area is run as it stands or named in a unit test. Prints who covers what. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readCases } from './case-file.js';
import { COVERED_AREAS, isRunAsItStands } from './selection.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Test files of all packages with their texts. */
function testFiles(): readonly { readonly file: string; readonly text: string }[] {
  const packages = join(root, 'packages');
  return readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map((file) => join(packages, file))
    .map((file) => ({ file: relative(root, file), text: readFileSync(file, 'utf8') }));
}

const cases = readCases().filter((item) => COVERED_AREAS.has(item.area));

describe.skipIf(cases.length === 0)('index of cases', () => {
  it('finds every case of the covered areas in a test', () => {
    const files = testFiles();
    const rows = cases.map((item) => {
      const named = new RegExp(`\\b${item.id}\\b`);
      const by = files.filter(({ text }) => named.test(text)).map(({ file }) => file);
      return { id: item.id, by: isRunAsItStands(item) ? ['interop/cases/cases.test.ts', ...by] : by };
    });
    console.log(rows.map(({ id, by }) => `${id}  ${by.join(', ')}`).join('\n'));
    expect(rows.filter(({ by }) => by.length === 0).map(({ id }) => id)).toEqual([]);
  });
});
