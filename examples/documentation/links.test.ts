/** Every link of the README and of the pages below docs leads to a file, and to a heading of it where it names one. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const pages = [
  '.',
  'docs',
  'docs/adr',
  'examples',
  ...readdirSync(join(root, 'examples')).map((name) => `examples/${name}`),
]
  .filter((folder) => statSync(join(root, folder)).isDirectory())
  .flatMap(markdownIn);

/** As GitHub names the places of headings. */
const anchorsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

const links = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !target.startsWith('https:'))
    .map((target) => ({ page, target })),
);

it('finds links to look at', () => {
  expect(pages.length).toBeGreaterThan(10);
  expect(links.length).toBeGreaterThan(15);
});

it.each(links)('$page: $target', ({ page, target }) => {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), path);
  expect(relative(root, file).startsWith('..')).toBe(false);
  expect(existsSync(file)).toBe(true);
  if (anchor !== undefined) expect(anchorsOf(file)).toContain(anchor);
});
