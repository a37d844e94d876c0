/** Randomness drawn in blocks: no byte twice, none left behind, whatever lengths are asked for. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createNodeRandomSource } from './index.js';

const draws = vi.spyOn(crypto, 'randomFillSync');
// Not vi.mock: tests share modules, and another file may have loaded the random source before.
beforeEach(() => {
  draws.mockClear();
  syncBuiltinESMExports();
});
afterAll(() => {
  draws.mockRestore();
  syncBuiltinESMExports();
});

describe('the random source', () => {
  it('gives no bytes twice, across blocks and lengths', () => {
    const random = createNodeRandomSource();
    const seen = new Set<string>();
    for (let index = 0; index < 3_000; index += 1) seen.add(random.bytes(16 + (index % 48)).join(' '));
    expect(seen.size).toBe(3_000);
    expect([...seen].some((text) => /(?:\b0 ){15}/.test(text))).toBe(false);
  });

  it('keeps nothing of what it gave', () => {
    const random = createNodeRandomSource();
    random.bytes(32);
    random.bytes(7);
    expect(draws).toHaveBeenCalledTimes(1);
    const block = draws.mock.calls[0]?.[0];
    if (!(block instanceof Uint8Array)) throw new TypeError('a block should have been drawn');
    expect(block.subarray(0, 39).every((byte) => byte === 0)).toBe(true);
    expect(block.subarray(39).some((byte) => byte !== 0)).toBe(true);
  });

  it.each([0, 1, 255, 256, 257, 4_096, 10_000])('gives as many as were asked for: %i', (length) => {
    expect(createNodeRandomSource().bytes(length)).toHaveLength(length);
  });

  it('refuses an invalid length, and gives fresh bytes after', () => {
    const random = createNodeRandomSource();
    const first = random.bytes(32);
    expect(() => random.bytes(-1)).toThrow(RangeError);
    expect(random.bytes(32)).not.toEqual(first);
  });
});
