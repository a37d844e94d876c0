import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amzDateText, parseAmzDate } from './amz-date.js';
import { canonicalHeaders } from './canonical-request.js';
import { canonicalPath, canonicalQuery, uriDecode, uriEncode } from './canonical-uri.js';

describe('the canonical path', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['//', '/'],
    ['/..', '/'],
    ['/../..', '/'],
    ['/a/..', '/'],
    ['/a/.', '/a/'],
    ['/a/b/..', '/a/'],
    ['/a//b/', '/a/b/'],
    ['/a%2Fb', '/a%252Fb'],
    ['/a b', '/a%20b'],
    ['/a@b', '/a%40b'],
  ])('of %s is %s', (path, expected) => {
    expect(canonicalPath(path)).toBe(expected);
  });

  it.each([
    ['', '/'],
    ['/a/../b', '/a/../b'],
    ['/a//b', '/a//b'],
  ])('of %s without normalisation is %s', (path, expected) => {
    expect(canonicalPath(path, { normalizePath: false })).toBe(expected);
  });

  it('is encoded once where the service says so', () => {
    expect(canonicalPath('/a%3Ab%20c', { pathEncoding: 'single' })).toBe('/a%3Ab%20c');
  });
});

describe('the canonical query', () => {
  it.each([
    ['/', ''],
    ['/?', ''],
    ['/?b=2&a=1', 'a=1&b=2'],
    ['/?a=2&a=10&a=1', 'a=1&a=10&a=2'],
    ['/?a', 'a='],
    ['/?a=b=c', 'a=b%3Dc'],
    ['/?a=b+c', 'a=b%2Bc'],
    ['/?a=%zz', 'a=%25zz'],
    ['/?A=1&a=1&%41=0', 'A=0&A=1&a=1'],
    ['/?a=1?b', 'a=1%3Fb'],
    ['/?a=1&X-Amz-Signature=00', 'a=1'],
  ])('of %s is %s', (target, expected) => {
    expect(canonicalQuery(target)).toBe(expected);
  });
});

describe('canonical headers', () => {
  it('are folded, and joined in order where a name came more than once', () => {
    const headers = [
      ['X-Many', ' one '],
      ['Host', 'h'],
      ['x-many', 'two  \t words'],
    ] as const;
    expect(canonicalHeaders(headers, ['host', 'x-many'])).toBe('host:h\nx-many:one,two words\n');
  });
});

describe('encoding', () => {
  it('is undone by decoding, and leaves only unreserved characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const encoded = uriEncode(text);
        expect(encoded).toMatch(/^([A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/);
        expect(uriDecode(encoded)).toBe(text);
      }),
    );
  });
});

describe('dates', () => {
  it.each(['', '20260230T000000Z', '20260216T240000Z', '2026-02-16T00:00:00Z', '20260216T000000', '20260216T000060Z'])(
    'that never were are not read: %s',
    (text) => {
      expect(parseAmzDate(text)).toBeUndefined();
    },
  );

  it('are read back as written, to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), fc.integer({ min: 0, max: 999 }), (seconds, ms) => {
        expect(parseAmzDate(amzDateText(seconds * 1_000 + ms))).toBe(seconds * 1_000);
      }),
    );
  });
});
