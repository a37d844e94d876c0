import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startChild } from './start-child.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-child-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = (name: string, source: string) => {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, source);
  return file;
};

it('tells what a child said in whole lines, to the last before it was killed', async () => {
  const talk = `process.stdout.write(['one', process.argv[2], 'torn'].join('\\n')); setInterval(() => {}, 1000);`;
  const child = startChild(script('talk', talk), ['two']);
  await child.said(2);
  await child.kill();
  await child.kill();
  expect(child.lines()).toEqual(['one', 'two']);
});

it('does not wait for lines of a child that has ended', async () => {
  const child = startChild(script('brief', `console.log('one');`), []);
  await expect(child.said(2)).rejects.toThrow(Error);
  expect(child.lines()).toEqual(['one']);
});
