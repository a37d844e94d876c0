import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUuid, encodeHex, equalConstantTime } from './bytes.js';

it('encodes hexadecimal as Buffer does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(encodeHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
    }),
  );
});

describe('a random UUID', () => {
  it('keeps every random bit but version and variant', () => {
    expect(createUuid({ bytes: (length) => new Uint8Array(length).fill(0xff) })).toBe(
      'ffffffff-ffff-4fff-bfff-ffffffffffff',
    );
    expect(createUuid({ bytes: (length) => new Uint8Array(length) })).toBe('00000000-0000-4000-8000-000000000000');
  });

  it('does not change the bytes it was given', () => {
    const bytes = new Uint8Array(16).fill(0xff);
    createUuid({ bytes: () => bytes });
    expect(bytes).toEqual(new Uint8Array(16).fill(0xff));
  });
});

const bytes = fc.uint8Array({ maxLength: 64 });

describe('equalConstantTime', () => {
  it('agrees with Buffer.equals', () => {
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        expect(equalConstantTime(one, other)).toBe(Buffer.from(one).equals(other));
        expect(equalConstantTime(one, one.slice())).toBe(true);
      }),
    );
  });

  it('tells a difference in any single bit', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.nat(), (expected, position) => {
        const given = expected.slice();
        const at = (position >> 3) % expected.length;
        given[at] = (given[at] ?? 0) ^ (1 << (position & 7));
        expect(equalConstantTime(given, expected)).toBe(false);
      }),
    );
  });

  it.each([
    ['a prefix', [1, 2], [1, 2, 3]],
    ['a longer one', [1, 2, 3], [1, 2]],
    ['zeros that end early', [], [0]],
    ['zeros that go on', [0], []],
    ['a difference of 256 in length', new Array(256).fill(0), []],
  ])('tells %s apart', (_, given, expected) => {
    expect(equalConstantTime(Uint8Array.from(given), Uint8Array.from(expected))).toBe(false);
  });
});
