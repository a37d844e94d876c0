/** Configuration made to cost: deep, wide and broken. Bounded in time, and refused or read, never a crash. */
import { describe, expect, it } from 'vitest';
import { failureOf, setUp } from '../../test/set-up.js';
import { tarGz } from '../../test/tar-writer.js';

/** A fifth of what a file may have: what grows with the square of this takes longer than the bound allows. */
const SIZE = 100_000;
const DEEP = 20_000;
const fill = (piece: string) => piece.repeat(Math.floor(SIZE / piece.length));
const balanced = (open: string, close: string) =>
  `a = ${open.repeat(SIZE / 2 / open.length)}${close.repeat(SIZE / 2 / open.length)}\n`;

const HOSTILE: readonly (readonly [string, string])[] = [
  ['open brackets', `a = ${fill('[')}`],
  ['nested lists', balanced('[', ']')],
  ['nested calls', `a = ${'f('.repeat(DEEP)}1${')'.repeat(DEEP)}\n`],
  ['nested interpolations', `a = ${'"${'.repeat(DEEP)}1${'}"'.repeat(DEEP)}\n`],
  ['nested blocks', `${'a {\n'.repeat(DEEP)}${'}\n'.repeat(DEEP)}`],
  ['nested heredocs', `a = ${fill('<<E\n${')}`],
  ['nested defaults', `variable "a" {\n default = ${'['.repeat(DEEP)}${']'.repeat(DEEP)}\n}\n`],
  ['nested objects', `variable "a" {\n default = ${'{a='.repeat(DEEP)}1${'}'.repeat(DEEP)}\n}\n`],
  ['an error behind many blocks', `${fill('a{}\n')}}`],
  ['many blocks', fill('a{}\n')],
  ['many arguments', `variable "a" {\n${Array.from({ length: 8_000 }, (_, index) => `a${index}=1`).join('\n')}\n}\n`],
  ['many variables', Array.from({ length: 4_000 }, (_, index) => `variable "v${index}" {}`).join('\n')],
  ['a long sum', `a = ${fill('b+')}1\n`],
  ['a long chain', `a = b${fill('.c')}\n`],
  ['a long string', `a = "${fill('x')}"\n`],
  ['a long comment', `/*${fill('*')}`],
  ['many lines of a heredoc', `variable "a" {\n default = <<-E\n${fill(' x\n')} E\n}\n`],
  ['garbage', fill('}{)(]["${')],
  ['zeros', fill('\u0000')],
];

describe('hostile configuration', () => {
  it.each(HOSTILE)('of %s is read or refused in bounded time', async (_, text) => {
    const { publish, leftovers, remove } = setUp();
    const started = performance.now();
    const outcome = await failureOf(publish(tarGz([{ name: 'main.tf', content: text }])));
    expect(performance.now() - started).toBeLessThan(4_000);
    if (outcome instanceof Error) {
      expect(['module_invalid', 'module_too_large']).toContain('code' in outcome ? outcome.code : outcome);
      expect(await leftovers()).toEqual([]);
    } else {
      expect(outcome).toHaveProperty('resolved.root');
    }
    remove();
  });

  it('leaves the parser as it was', async () => {
    const { publish, remove } = setUp();
    await failureOf(publish(tarGz([{ name: 'main.tf', content: HOSTILE[3]?.[1] ?? '' }])));
    const details = await publish(tarGz([{ name: 'main.tf', content: 'variable "x" {\n  default = [1]\n}\n' }]));
    expect(details.root.inputs).toMatchObject([{ name: 'x', default: '[1]' }]);
    remove();
  });
});
