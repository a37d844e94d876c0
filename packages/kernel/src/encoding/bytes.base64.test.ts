import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from './bytes.js';

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

describe('encodeBase64', () => {
  it('agrees with Buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
      }),
    );
  });

  it.each([3071, 3072, 3073, 3074, 200_000])('encodes %i bytes, which are more than it takes at once', (length) => {
    const bytes = Uint8Array.from({ length }, (_, at) => at * 7);
    expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
    expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
  });
});

describe('decodeBase64', () => {
  it('reads back what was written', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
        expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
      }),
    );
  });

  it('accepts a text only if it is the one encoding of its bytes', () => {
    const almostBase64 = fc.string({ unit: fc.constantFrom(...'ABQZabgz0189+/-_= \n'), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(almostBase64, fc.string()), (text) => {
        const canonical = Buffer.from(text, 'base64').toString('base64') === text;
        expect(decodeBase64(text)).toEqual(canonical ? new Uint8Array(Buffer.from(text, 'base64')) : undefined);
        const canonicalUrl = Buffer.from(text, 'base64url').toString('base64url') === text;
        expect(decodeBase64Url(text)).toEqual(
          canonicalUrl ? new Uint8Array(Buffer.from(text, 'base64url')) : undefined,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['', ''],
    ['Zg==', 'f'],
    ['Zm8=', 'fo'],
    ['Zm9v', 'foo'],
    ['Zm9vYmFy', 'foobar'],
  ])('decodes %j', (text, expected) => {
    expect(decodeBase64(text)).toEqual(bytesOf(expected));
  });

  it.each([
    ['missing padding', 'Zg'],
    ['half the padding', 'Zg='],
    ['padding too much', 'Zm8=='],
    ['padding alone', '===='],
    ['padding alone, one', '='],
    ['padding inside', 'Zg==Zg=='],
    ['a whole group of padding', 'Zm9v===='],
    ['bits after the last byte, one byte', 'Zh=='],
    ['bits after the last byte, two bytes', 'Zm9='],
    ['the url alphabet', 'Pz8-Pz8_'],
    ['a space', 'Zm9 v'],
    ['a space before', ' Zm9v'],
    ['a tab', 'Zm9v\tZm9v'],
    ['a line break', 'Zm9v\n'],
    ['a NUL', 'Zm9\0'],
    ['a character whose low byte is in the alphabet', 'Zm9\u0176'],
    ['a lone surrogate', 'Zm9\ud800'],
  ])('refuses %s', (_, text) => {
    expect(decodeBase64(text)).toBeUndefined();
  });
});

describe('decodeBase64 with ignoreLineBreaks', () => {
  it('skips CR and LF wherever they stand', () => {
    const lineBreak = fc.constantFrom('', '\n', '\r\n', '\r', '\n\n');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(lineBreak, { minLength: 81 }), (bytes, breaks) => {
        const text = [...encodeBase64(bytes)].map((character, at) => `${breaks[at] ?? ''}${character}`).join('');
        expect(decodeBase64(`${text}\n`, { ignoreLineBreaks: true })).toEqual(bytes);
      }),
    );
  });

  it('reads lines of any whole length as one', () => {
    const length = fc.integer({ min: 1, max: 80 });
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        length,
        fc.constantFrom('\n', '\r\n'),
        (bytes, width, lineBreak) => {
          const lines = encodeBase64(bytes).match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
          const text = lines.join(lineBreak);
          expect(decodeBase64(text, { ignoreLineBreaks: true })).toEqual(bytes);
          expect(decodeBase64(`${text}${lineBreak}`, { ignoreLineBreaks: true })).toEqual(bytes);
          expect(decodeBase64(`${text} `, { ignoreLineBreaks: true })).toBeUndefined();
        },
      ),
    );
  });

  it.each(['Zm9v Zm9v', 'Zm9v\tZm9v', 'Zm9v\u2028', 'Zm9v\v', 'Zm8\n', 'Zh==\n', '=\n==='])(
    'still refuses %j',
    (text) => {
      expect(decodeBase64(text, { ignoreLineBreaks: true })).toBeUndefined();
    },
  );
});

describe('decodeBase64Url', () => {
  it.each(['Zg==', 'Z', 'Zh', 'Zm9+', 'Zm9/', 'Zm9v\n', 'Zm9v='])('refuses %j', (text) => {
    expect(decodeBase64Url(text)).toBeUndefined();
  });
});
