/** READMEs of strangers: harmless, within the page's outline, and quick (PAGE-8). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_README_CHARACTERS, renderReadme } from './render-readme.js';

const render = (markdown: string): string => renderReadme(markdown)?.toString() ?? '';
const REL = 'rel="nofollow noopener noreferrer"';

describe('what a README may be made of', () => {
  it.each([
    ['a link', '[x](https://a.example/b?c=1&d)', `<a href="https://a.example/b?c=1&amp;d" ${REL}>x</a>`],
    ['a reference', '[x][1]\n\n[1]: http://a.example "t"', `<a href="http://a.example/" ${REL}>x</a>`],
    ['an address', '<https://a.example/>', `<a href="https://a.example/" ${REL}>https://a.example/</a>`],
    ['a picture', '![plan](https://a.example/p.png)', `<a href="https://a.example/p.png" ${REL}>plan</a>`],
    ['a picture without a text', '![](https://a.example/p.png)', `${REL}>Picture</a>`],
    [
      'a picture in a link',
      '[![ok](https://a.example/p)](https://b.example/)',
      `<a href="https://b.example/" ${REL}>ok</a>`,
    ],
    ['a link without a text', '[](https://a.example/)', `${REL}>https://a.example/</a>`],
    ['a link within', '# Über *uns*\n\n[x](#Über-uns)', '<a href="#readme-über-uns">x</a>'],
    ['code', '```hcl\na = "<b>"\n```', '<pre tabindex="0"><code>a = &quot;&lt;b&gt;&quot;\n</code></pre>'],
    ['an indented block', '    <b>', '<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>'],
    ['a column to the right', '|a|\n|-:|\n|b|', '<td class="right">b</td>'],
    ['a header cell without a text', '||b|\n|-|-|\n|c|d|', '<td></td>\n<th>b</th>'],
  ])('%s', (_name, markdown, expected) => {
    expect(render(markdown)).toContain(expected);
  });

  it.each([
    ['a script', '[x](javascript:alert(1))'],
    ['a script in disguise', '[x](java&#115;cript&colon;alert(1))'],
    ['data', '[x](data:text/html,<script>)'],
    ['a picture of data', '![x](data:image/svg+xml;base64,AAAA)'],
    ['a file', '[x](file:///etc/passwd)'],
    ['a name and a password', '[x](https://registry.example@evil.example/)'],
    ['a file of the module', '[x](docs/guide.md)'],
    ['another host by its name alone', '[x](//evil.example/)'],
    ['a mailbox', '[x](mailto:a@b.example)'],
  ])('not a link to %s', (_name, markdown) => {
    expect(render(markdown)).not.toMatch(/<a |<img/);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<!-- -->',
    '<style>*{}</style>',
    '<a href="/">x</a>',
  ])('HTML is text: %s', (markup) => {
    for (const text of [render(markup), render(`a ${markup} b`), render(`- ${markup}`)]) {
      expect(text).toContain(`&lt;${markup.slice(1, 3)}`);
    }
  });
});

describe('headings', () => {
  const levels = (markdown: string) => [...render(markdown).matchAll(/<h(\d)/g)].map((match) => Number(match[1]));

  it.each([
    ['# a\n## b\n### c', [3, 4, 5]],
    ['### a\n# b\n#### c\n## d', [3, 3, 4, 4]],
    ['# a\n## b\n### c\n#### d\n##### e', [3, 4, 5, 6, 6]],
    ['Text\n===\n\nMore\n---', [3, 4]],
    ['#\n# a\n##   ##', [3]],
  ])('stand below the page’s own, and leave out no rank: %j', (markdown, expected) => {
    expect(levels(markdown)).toEqual(expected);
  });

  it('have an id each', () => {
    const ids = [...render('# Use\n# use\n# Use!\n# `x_y`').matchAll(/id="([^"]+)"/g)].map((match) => match[1]);
    expect(ids).toEqual(['readme-use', 'readme-use-1', 'readme-use-2', 'readme-x_y']);
  });
});

describe('any text', () => {
  /** What the renderer may write, and nothing else. */
  const ALLOWED =
    /^<(?:\/?(?:p|h[3-6]|ul|ol|li|em|strong|s|blockquote|code|pre|table|thead|tbody|tr|th|td|div|a)|hr|br)(?: (?:id|href|rel|class|title|tabindex|role|aria-label|start)="[^"<>]*")*>$/;

  it('becomes markup of a short list only', () => {
    const pieces = fc.constantFrom(
      ...[
        '<',
        '>',
        '"',
        "'",
        '`',
        '[',
        ']',
        '(',
        ')',
        '!',
        '*',
        '_',
        '#',
        '|',
        '-',
        '\n',
        ' ',
        '&',
        ';',
        'javascript:',
      ],
      ...[
        'https://a.example',
        '<script>',
        '![',
        '](',
        '&#x6a;',
        '\u0000',
        '\u202e',
        '~~~',
        '```',
        '    ',
        '1. ',
        '> ',
        'onload=',
      ],
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 60 }), (parts) => {
        for (const [tag] of render(parts.join('')).matchAll(/<[^>]*>?/g)) expect(tag).toMatch(ALLOWED);
      }),
      { numRuns: 200 },
    );
  });

  it('with nothing in it is no README', () => {
    expect(renderReadme(' \n\t')).toBeUndefined();
  });

  it('of a megabyte is shown as far as its bound, and says so', () => {
    const text = render('word '.repeat(250_000));
    expect(text.length).toBeLessThan(MAX_README_CHARACTERS + 200);
    expect(text).toContain('The rest is not shown');
  });

  it.each([
    ['quotes', '>'.repeat(MAX_README_CHARACTERS)],
    ['brackets', '['.repeat(MAX_README_CHARACTERS)],
    ['pictures', '!['.repeat(MAX_README_CHARACTERS / 2)],
    ['open links', '[a]('.repeat(MAX_README_CHARACTERS / 4)],
    ['emphasis', '*a_ '.repeat(MAX_README_CHARACTERS / 4)],
    ['backticks', Array.from({ length: 700 }, (_, at) => '`'.repeat(at)).join(' ')],
    ['lists', '- '.repeat(MAX_README_CHARACTERS / 2)],
    ['references', '[a]: b\n'.repeat(MAX_README_CHARACTERS / 7)],
    ['cells', `|${'a|'.repeat(1000)}\n|${'-|'.repeat(1000)}\n${'|\n'.repeat(MAX_README_CHARACTERS / 4)}`],
    ['entities', '&'.repeat(MAX_README_CHARACTERS)],
    ['autolinks', '<a:'.repeat(MAX_README_CHARACTERS / 3)],
    ['headings', '# a\n'.repeat(MAX_README_CHARACTERS / 4)],
  ])('made to be slow takes its time once, linear in its length, and no room: %s', (_name, markdown) => {
    const before = process.cpuUsage();
    const { length } = render(markdown);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(3000);
    expect(length).toBeLessThan(16 * MAX_README_CHARACTERS);
  });
});
