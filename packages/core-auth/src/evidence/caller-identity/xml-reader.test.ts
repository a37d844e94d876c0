/** The small XML reader (THREAT-34). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml, type XmlElement } from './xml-reader.js';

const leaf = (name: string, text = ''): XmlElement => ({ name, text, attributes: [], children: [] });

describe('XML', () => {
  it.each<readonly [string, XmlElement]>([
    ['<a/>', leaf('a')],
    ['<a></a >', leaf('a')],
    [' \r\n<a>b</a>\t', leaf('a', 'b')],
    ['<?xml version="1.0"?><a/>', leaf('a')],
    ['<?xml version="1.0" encoding="UTF-8"?>\n<a/>', leaf('a')],
    ["<?xml version='1.0' encoding='utf-8' ?><a/>", leaf('a')],
    ['<a>&lt;&gt;&amp;&quot;&apos;</a>', leaf('a', '<>&"\'')],
    ['<a>&amp;lt;</a>', leaf('a', '&lt;')],
    ['<a>\n <b>1</b>\n <c/> </a>', { ...leaf('a'), children: [leaf('b', '1'), leaf('c')] }],
    [
      '<a x="1" y=\'&quot;\'/>',
      {
        ...leaf('a'),
        attributes: [
          ['x', '1'],
          ['y', '"'],
        ],
      },
    ],
    ['<a\n x = "1" ></a>', { ...leaf('a'), attributes: [['x', '1']] }],
  ])('is read: %j', (text, element) => {
    expect(readXml(text)).toEqual(element);
  });

  it.each([
    '',
    'SomeRandomGibberish',
    '{}',
    '<',
    '<a',
    '<a>',
    '<a><b></a></b>',
    '</a>',
    '<a/><b/>',
    '<a/>tail',
    'head<a/>',
    '\ufeff<a/>',
    '<a>b<c/></a>',
    '<a><c/>b</a>',
    '<!DOCTYPE a><a/>',
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    '<a><!-- b --></a>',
    '<!-- b --><a/>',
    '<a/><!-- b -->',
    '<a><![CDATA[b]]></a>',
    '<a>]]></a>',
    '<a><?x y?></a>',
    '<?x y?><a/>',
    '<a/><?x y?>',
    ' <?xml version="1.0"?><a/>',
    '<?xml version="1.1"?><a/>',
    '<?xml version="1.0" encoding="UTF-16"?><a/>',
    '<?XML version="1.0"?><a/>',
    '<?xml version="1.0"?><?xml version="1.0"?><a/>',
    '<a>&b;</a>',
    '<a>&#65;</a>',
    '<a>&#x41;</a>',
    '<a>&amp</a>',
    '<a>&</a>',
    '<a>& amp;</a>',
    '<a>&constructor;</a>',
    '<a b="&c;"/>',
    '<a b="<"/>',
    '<a b=c/>',
    '<a b/>',
    '<a b="c/>',
    '<a b="c"d="e"/>',
    '<a b="c" b="d"/>',
    '<x:a/>',
    '<a xmlns:x="y"/>',
    '<a x:y="z"/>',
    '< a/>',
    '<a / >',
    '<1/>',
    '<\u00e4/>',
    '<a>\0</a>',
    '<a>\u001b</a>',
    '<a>\ud800</a>',
    '<a>\ufffe</a>',
    `<a ${Array.from({ length: 9 }, (_, index) => `x${index}=""`).join(' ')}/>`,
    `<${'a'.repeat(129)}/>`,
  ])('is refused: %j', (text) => {
    expect(readXml(text)).toBeUndefined();
  });

  it('nests eight deep and no deeper', () => {
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
    expect(readXml(nested(8))).toBeDefined();
    expect(readXml(nested(9))).toBeUndefined();
    expect(readXml(nested(10_000))).toBeUndefined();
  });

  it('is read back as it was written', () => {
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,8}$/);
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', '<', '>', '&', '"', "'", '\n', '\u00e4', ';', '\u{1f600}'),
    });
    const tree: fc.Arbitrary<XmlElement> = fc.letrec<{ node: XmlElement }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', maxDepth: 4 },
        fc.record({ name, text, attributes: fc.constant([]), children: fc.constant([]) }),
        fc.record({
          name,
          text: fc.constant(''),
          attributes: fc.uniqueArray(fc.tuple(name, text), { selector: ([key]) => key, maxLength: 3 }),
          children: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
        }),
      ),
    })).node;
    fc.assert(
      fc.property(tree, (element) => {
        expect(readXml(written(element))).toEqual(element);
      }),
    );
  });

  it('never throws, and takes no time, on any text', () => {
    const fragment = fc.constantFrom(
      '<',
      '>',
      '</',
      '/>',
      'a',
      '=',
      '"',
      "'",
      '&',
      ';',
      ' ',
      '<!',
      '<?',
      ']]>',
      '&lt;',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fragment, { maxLength: 30 }).map((all) => all.join('')),
        ),
        (text) => {
          const element = readXml(text);
          if (element !== undefined) expect(readXml(written(element))).toEqual(element);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each(['<a ', '&', '&amp;', '<a>', '<a x="', ' ', '<a/>', ']]', "<a x='1' "])(
    'of 64 KiB of %j is judged at once',
    (fragment) => {
      const text = fragment.repeat((64 * 1024) / fragment.length);
      const started = performance.now();
      readXml(text);
      readXml(`<a>${text}</a>`);
      readXml(`<a>${'<b>'.repeat(6)}${text}`);
      expect(performance.now() - started).toBeLessThan(1000);
    },
  );
});

function written({ name, attributes, children, text }: XmlElement): string {
  const escaped = (raw: string) =>
    raw.replace(/[<>&"']/g, (c) => ({ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', "'": '&apos;' })[c] ?? c);
  const list = attributes.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('');
  return `<${name}${list}>${children.map(written).join('\n')}${escaped(text)}</${name}>`;
}
