/** How deep a file nests, counted before it is parsed: too deep is refused, and nothing else is. */
import { describe, expect, it } from 'vitest';
import { failureOf, setUp } from '../../test/set-up.js';
import { checkNesting } from './hcl-nesting.js';

const check = (text: string) => checkNesting('main.tf', text);
const open = '${';

describe('a file that nests too deep', () => {
  it.each([
    ['lists', '['.repeat(251)],
    ['blocks', 'a {\n'.repeat(251)],
    ['calls', 'f('.repeat(251)],
    ['strings', `"${open}`.repeat(126)],
    ['heredocs', `<<E\n${open}`.repeat(126)],
    ['directives', `"%{ if [`.repeat(90)],
    ['operators', `a = ${'!'.repeat(101)}x`],
    ['signs with blanks', `a = ${'- '.repeat(101)}1`],
  ])('in %s is refused', (_name, text) => {
    expect(() => check(`a = 1\n${text}`)).toThrow(expect.objectContaining({ code: 'module_too_large' }));
  });

  it('is refused with the line', () => {
    expect(() => check(`\n\n${'['.repeat(251)}`)).toThrow(/^main\.tf, line 3: /);
  });
});

describe('a file that only looks deep is taken', () => {
  it.each([
    ['comments', `${'# ((((\n'.repeat(100)}${'// [[[[\n'.repeat(100)}/*${'{'.repeat(300)}*/`],
    ['strings', 'a = "(((("\n'.repeat(100)],
    ['escaped quotes', 'a = "\\"(((\\\\"\n'.repeat(100)],
    ['no interpolations', `a = "$${open}(((%%{((( $ % "\n`.repeat(100)],
    ['strings in interpolations', `a = "x${open}f("(((", "y${open}g(")")}")}"\n`.repeat(100)],
    ['heredocs', `a = <<-EOT\n  (((( "\n  EOTX $${open}(((\n  ${open}x["("]}\n  EOT\n`.repeat(100)],
    ['empty heredocs', 'a = <<E\nE\n'.repeat(300)],
    ['lines of Windows', 'a = <<E\r\n(((\r\nE\r\n'.repeat(300)],
    ['closing brackets', ')'.repeat(1_000)],
    ['many lists', 'a = [[], {}, ()]\n'.repeat(1_000)],
    ['rulers', `${'-'.repeat(90)}1\n`.repeat(10)],
    ['comparisons and less', 'a = b <= c && d != e / f < g\n'.repeat(200)],
  ])('%s', (_name, text) => {
    expect(() => check(`${text}${'['.repeat(249)}`)).not.toThrow();
  });
});

it('takes time in proportion to the text', () => {
  for (const piece of ['"', '/', '<<E\n', '$', '%', '\\', `"${open}}"`, '/*', '-x', '\n', '<', '[]']) {
    const started = performance.now();
    try {
      check(piece.repeat(Math.floor((512 * 1024) / piece.length)));
    } catch {
      // Refused is as good.
    }
    expect(performance.now() - started).toBeLessThan(1_500);
  }
});

it('is asked of every file of configuration', async () => {
  const { publish, remove } = setUp();
  const { tarGz } = await import('../../test/tar-writer.js');
  const deep = tarGz([{ name: 'main.tf', content: `locals {\n  a = ${'['.repeat(300)}${']'.repeat(300)}\n}\n` }]);
  expect(await failureOf(publish(deep))).toMatchObject({
    code: 'module_too_large',
    place: { path: 'main.tf', line: 2 },
  });
  remove();
});
