/** The bounds hold exactly the keys that are meant, in the order of their bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyRange } from './key-range.js';

const isBelow = (left: Uint8Array, right: Uint8Array) => Buffer.compare(left, right) < 0;

function holds(key: string, prefix: string, after?: string): boolean {
  const { from, before } = keyRange(prefix, after);
  const bytes = Buffer.from(key);
  return !isBelow(bytes, from) && isBelow(bytes, before);
}

/** Few letters, so that keys, prefixes and places meet: the least, the greatest, and both sides of the surrogates. */
const text = fc
  .array(fc.constantFrom('a', 'b', '/', '\u0000', '\uff5e', '\u{1f600}', '\u{10ffff}'), { maxLength: 4 })
  .map((letters) => letters.join(''));

describe('a range of keys', () => {
  it('holds what begins with the prefix, and nothing else', () => {
    fc.assert(fc.property(text, text, (key, prefix) => holds(key, prefix) === key.startsWith(prefix)));
  });

  it('holds of that only what comes after a place, wherever the place is', () => {
    fc.assert(
      fc.property(text, text, text, (key, prefix, after) => {
        const comesAfter = isBelow(Buffer.from(after), Buffer.from(key));
        expect(holds(key, prefix, after)).toBe(key.startsWith(prefix) && comesAfter);
      }),
      { numRuns: 2000 },
    );
  });
});
