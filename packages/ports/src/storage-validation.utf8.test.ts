import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUtf8, utf8Length } from './storage-validation.js';

const encode = (text: string) => new TextEncoder().encode(text);
const wellFormed = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\uD7FF', '\uE000', '\uFFFF'),
    fc.constantFrom('\u{10000}', '\u{10FFFF}', 'a', '\u0000'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});
const anyUnits = fc.array(
  fc.constantFrom(0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff),
);

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  for (const [index, byte] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (byte !== other) return byte - other;
  }
  return left.length - right.length;
}

describe('UTF-8 length', () => {
  it('is that of the encoded bytes', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        expect(utf8Length(text)).toBe(encode(text).length);
      }),
    );
  });

  it('is undefined exactly where an encoder would have to replace something', () => {
    fc.assert(
      fc.property(anyUnits, (units) => {
        const text = String.fromCharCode(...units);
        const survives = new TextDecoder('utf-8', { ignoreBOM: true }).decode(encode(text)) === text;
        expect(utf8Length(text) !== undefined).toBe(survives);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('UTF-8 order', () => {
  it('is that of the encoded bytes', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (left, right) => {
        expect(Math.sign(compareUtf8(left, right))).toBe(Math.sign(compareBytes(encode(left), encode(right))));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['\uFF5E', '\u{1F600}'],
    ['\uE000', '\u{10000}'],
    ['\uD7FF', '\uE000'],
    ['a', 'a\u0000'],
    ['', '\u0000'],
    ['\u{10000}', '\u{10001}'],
  ])('puts %j before %j', (first, second) => {
    expect(compareUtf8(first, second)).toBeLessThan(0);
    expect(compareUtf8(second, first)).toBeGreaterThan(0);
    expect(compareUtf8(first, first)).toBe(0);
  });
});
