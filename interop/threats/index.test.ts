/** The index of threats: a test names each threat of docs/spec/threats.md. Prints which tests name which. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testFiles } from '../test-files.js';

const THREATS = new URL('../../docs/spec/threats.md', import.meta.url);

/** Of the platform as a whole: listed, and not required of a test. */
const ONLY_LISTED: ReadonlySet<string> = new Set([]);

const ids = [...readFileSync(THREATS, 'utf8').matchAll(/^### (THREAT-\d+) /gm)].map(([, id = '']) => id);

describe('index of threats', () => {
  it('lists the threats to documents, to signed requests and to the rest', () => {
    expect(ids.length).toBeGreaterThanOrEqual(30);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('finds every one of them in a test', () => {
    const files = testFiles().filter(({ file }) => file !== 'interop/threats/index.test.ts');
    const rows = ids.map((id) => {
      // The ends of a range name nothing between them, so they do not count either.
      const named = new RegExp(`(?<![\\w-])(?<!\\bto )${id}(?![\\w-])(?! to )`);
      return { id, by: files.filter(({ text }) => named.test(text)).map(({ file }) => file) };
    });
    console.log(rows.map(({ id, by }) => `${id}  ${by.join(', ')}`).join('\n'));
    expect(rows.filter(({ id, by }) => by.length === 0 && !ONLY_LISTED.has(id)).map(({ id }) => id)).toEqual([]);
  });
});
