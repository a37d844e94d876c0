/** The README shows the code that embed.test.ts runs, and nothing else. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

function between(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from + start.length);
  if (from < 0 || to < 0) throw new Error(`the text between ${start.trim()} and ${end.trim()} was not found`);
  return text.slice(from + start.length, to);
}

const code = between(read('./gate.mjs'), '// #region readme\n', '// #endregion\n');
const section = between(read('../../README.md'), '## Embed it\n', '\n## ');

it('shows the code of the example as it stands', () => {
  expect(between(section, '```js\n', '```\n')).toBe(code);
});

it('shows no more than twenty lines of code', () => {
  expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(20);
});
