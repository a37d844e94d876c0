/** Every block of code in the README, the packages' READMEs and docs/ is the region of a file that a test runs. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { documentationPages, withRegions } from '../../scripts/lib/doc-blocks.mjs';

const read = (page: string) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
const pages = documentationPages().filter((page) => /^```(?:js|mjs|ts|tsx|jsx)\n/m.test(read(page)));

it('finds pages with code', () => {
  expect(pages).toContain('README.md');
  expect(pages.length).toBeGreaterThan(15);
});

it.each(pages)('%s shows code that is run (node scripts/doc-blocks.mjs updates it)', (page) => {
  const before = read(page);
  const { text, unmarked } = withRegions(before);
  expect(unmarked).toEqual([]);
  expect(text).toBe(before);
});

it('shows the whole of embedding in at most twenty lines of the README', () => {
  const code = /gate\.mjs#readme -->\n+```js\n([\s\S]*?)```/.exec(read('README.md'))?.[1] ?? '';
  const lines = code.split('\n').filter((line) => line.trim() !== '').length;
  expect(lines).toBeGreaterThan(5);
  expect(lines).toBeLessThanOrEqual(20);
});
