/** The index of threats: each one that was met elsewhere is named by a test here that shows us safe. Prints who shows what. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedFolder } from '@postern/internal';
import { describe, expect, it } from 'vitest';
import { testFiles } from '../test-files.js';

/** Of the platform as a whole: shown in the map, and demanded of nobody. */
const ONLY_SHOWN: ReadonlySet<string> = new Set(['C6']);

/** `P…` and `S…` are rows of tables, `C3` to `C6` are headings; `C1` and `C2` are the headings of those tables. */
function readThreatIds(): readonly string[] {
  const folder = sharedFolder();
  if (folder === undefined) return [];
  const text = readFileSync(join(folder, 'reference', 'threats.md'), 'utf8');
  const rows = [...text.matchAll(/^\| ([PS]\d+) \|/gm)].map(([, id = '']) => id);
  const headings = [...text.matchAll(/^### (C\d+) /gm)].map(([, id = '']) => id);
  return [...rows, ...headings.filter((id) => id !== 'C1' && id !== 'C2')];
}

const ids = readThreatIds();

describe.skipIf(ids.length === 0)('index of threats', () => {
  it('knows those of documents, of signed requests and of the rest', () => {
    for (const id of ['P1', 'P14', 'S1', 'S13', 'C3', 'C4', 'C5', 'C6']) expect(ids).toContain(id);
  });

  it('finds every one of them in a test', () => {
    const files = testFiles().filter(({ file }) => file !== 'interop/threats/index.test.ts');
    const rows = ids.map((id) => {
      // Not `AKIAP1`, not `sha-P1`, and not the ends of a range, which name what is between them as little.
      const named = new RegExp(`(?<![\\w-])(?<!\\bto )${id}(?![\\w-])(?! to )`);
      return { id, by: files.filter(({ text }) => named.test(text)).map(({ file }) => file) };
    });
    console.log(rows.map(({ id, by }) => `${id}  ${by.join(', ')}`).join('\n'));
    expect(rows.filter(({ id, by }) => by.length === 0 && !ONLY_SHOWN.has(id)).map(({ id }) => id)).toEqual([]);
  });
});
