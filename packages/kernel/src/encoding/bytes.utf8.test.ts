import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from './bytes.js';

describe('decodeUtf8', () => {
  it('reads back every well-formed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeUtf8(encodeUtf8(text))).toBe(text);
      }),
    );
  });

  it('keeps a byte order mark, which is signed like any other byte', () => {
    expect(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['a truncated sequence', [0xe2, 0x82]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['UTF-16', [0xff, 0xfe, 0x61, 0x00]],
  ])('refuses %s', (_, bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
  });
});

describe('encodeUtf8', () => {
  it('agrees with TextEncoder, for texts that it encodes in its own memory and for longer ones', () => {
    const piece = fc.constantFrom('a', '\u0000', 'é', '€', '\u{1f600}', '\ud800', '\udc00');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400, size: 'max' }), (pieces) => {
        const text = pieces.join('');
        expect(encodeUtf8(text)).toEqual(new TextEncoder().encode(text));
      }),
    );
    for (const length of [255, 256, 257]) {
      const text = '€'.repeat(length);
      expect(encodeUtf8(text)).toEqual(new TextEncoder().encode(text));
    }
  });

  it('returns bytes that a later text does not change', () => {
    const first = encodeUtf8('first');
    encodeUtf8('other');
    expect(decodeUtf8(first)).toBe('first');
  });
});
