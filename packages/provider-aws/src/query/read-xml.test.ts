import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemsAt, readXml, textAt, XmlError, type XmlShape } from './read-xml.js';

const SHAPE: XmlShape = { a: { b: { c: {} }, item: {} } };
const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string, shape = SHAPE) => readXml(bytes(text), shape);

describe('a document', () => {
  it('keeps what was asked for, where it was asked for', () => {
    const root = read('<a><x><b><c>no</c></b></x><b>t<c>yes</c><d><c>no</c></d></b><c>no</c></a>');
    expect(textAt(root, 'b', 'c')).toBe('yes');
    expect(root.children.map(({ name }) => name)).toEqual(['b']);
    expect(textAt(root, 'b', 'd')).toBeUndefined();
  });

  it('has its declaration, comments, CDATA and the references of XML', () => {
    const root = read(
      '<?xml version="1.0" encoding="UTF-8"?>\n<!-- x --><a><item>&lt;&#x1F600;<![CDATA[&]]></item><item/></a>\n',
    );
    expect(root.children.map(({ text }) => text)).toEqual(['<\u{1F600}&', '']);
  });

  it('with two elements where there is one is not an answer: readers differ in which they take', () => {
    const root = read('<a><b><c>1</c><c>2</c></b></a>');
    expect(() => textAt(root, 'b', 'c')).toThrow(XmlError);
    expect(() => itemsAt(read('<a><b/><b/></a>'), 'b')).toThrow(XmlError);
  });

  it('reads as it was written', () => {
    const isText = (each: string) => !/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(each);
    const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter(isText);
    const escaped = (each: string) => each.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const root = read(`<a>${texts.map((each) => `<item>${escaped(each)}</item>`).join(' ')}</a>`);
        expect(root.children.map((child) => child.text)).toEqual(texts);
      }),
    );
  });
});

const NESTED = 100_000;
const LAUGHS = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`);

describe('what is not a document of EC2', () => {
  it.each([
    ['nothing', ''],
    ['blank', ' \n '],
    ['JSON', '{"reservations":[]}'],
    ['HTML', '<!DOCTYPE html>\n<html><body><p>It works</body></html>'],
    ['HTML that is XML', '<html><body/></html>'],
    ['another root', '<b/>'],
    ['a root with a name of Object', '<constructor/>'],
    ['a DOCTYPE', '<!DOCTYPE a><a/>'],
    ['a DOCTYPE in other letters', '<!doctype a><a/>'],
    ['an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['a billion laughs', `<!DOCTYPE a [<!ENTITY l0 "lol">${LAUGHS.join('')}]><a>&l9;</a>`],
    ['an entity that is not declared', '<a>&x;</a>'],
    ['a reference to no character', '<a>&#0;</a>'],
    ['a bare ampersand', '<a>b & c</a>'],
    ['cut in a tag', '<a><b'],
    ['cut in a text', '<a><b>x'],
    ['cut before the end', '<a><b></b>'],
    ['cut in CDATA', '<a><![CDATA[x'],
    ['cut in a comment', '<a><!-- '],
    ['tags that cross', '<a><b></a></b>'],
    ['two roots', '<a/><a/>'],
    ['text after the end', '<a/>x'],
    ['text before the beginning', 'x<a/>'],
    ['an attribute twice', '<a x="1" x="2"/>'],
    ['an attribute without quotes', '<a x=1/>'],
    ['a control character', '<a>\u0001</a>'],
    ['nested deeper than any answer', `${'<a>'.repeat(NESTED)}${'</a>'.repeat(NESTED)}`],
    ['longer than any answer', `<a>${'<item/>'.repeat(100_001)}</a>`],
  ])('%s is refused', (_, text) => {
    expect(() => read(text)).toThrow(XmlError);
  });

  it('bytes that are not UTF-8 are refused', () => {
    expect(() => readXml(Uint8Array.from([...bytes('<a>'), 0xff, ...bytes('</a>')]), SHAPE)).toThrow(XmlError);
    expect(() => readXml(new Uint8Array(Buffer.from('\ufeff<a/>', 'utf16le')), SHAPE)).toThrow(XmlError);
  });

  it('no text of it is in the error', () => {
    expect(() => read('<a>canary</b>')).toThrow(expect.objectContaining({ message: 'not well-formed' }));
  });

  it.each([
    ['elements that were not asked for', '<a>', '<x/>'],
    ['one text', '<a>', 'x'],
    ['references', '<a>', '&amp;'],
    ['one comment', '<a><!--', '- '],
    ['one name', '<', 'a'],
    ['blank between attributes', '<a', '  '],
    ['ends of CDATA that are none', '<a><![CDATA[', ']]'],
    ['one reference', '<a>&', 'a'],
  ])('takes time by its length alone: %s', (_, start, more) => {
    const microsOf = (length: number) => {
      const text = bytes(start + more.repeat(length / more.length));
      const before = process.cpuUsage();
      expect(() => readXml(text, SHAPE)).toThrow(XmlError);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    microsOf(1 << 16);
    const small = Math.max(microsOf(1 << 18), 5_000);
    // Eight times as long: by its square it would take 64 times as long.
    expect(microsOf(1 << 21) / small).toBeLessThan(40);
  });

  it('changed at random is read or refused, and nothing else', () => {
    const whole = bytes(
      '<?xml version="1.0"?><a x="y"><b><c>&amp;&#65;</c></b><!-- z --><item><![CDATA[q]]></item></a>',
    );
    const change = fc.record({ at: fc.nat(whole.length - 1), cut: fc.nat(4), put: fc.uint8Array({ maxLength: 4 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        let text = [...whole];
        for (const { at, cut, put } of changes) text = [...text.slice(0, at), ...put, ...text.slice(at + cut)];
        try {
          expect(readXml(Uint8Array.from(text), SHAPE).name).toBe('a');
        } catch (error) {
          expect(error).toBeInstanceOf(XmlError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
