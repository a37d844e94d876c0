import { compareUtf8 } from '@postern/ports';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expiryFrom, expiryKey, fitsSortKey, readExpirySort, recordKey, shardOf } from './keys.js';

const instants = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
const keys = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });

it('the index of expiries is in order of instants, then of keys in bytes', () => {
  fc.assert(
    fc.property(instants, instants, keys, keys, (first, second, left, right) => {
      const order = first - second || compareUtf8(left, right);
      const sorts = [expiryKey(left, first, 16).s.B, expiryKey(right, second, 16).s.B] as const;
      expect(Math.sign(Buffer.compare(...sorts))).toBe(Math.sign(order));
    }),
  );
});

it('an entry of the index tells its instant and its key', () => {
  fc.assert(
    fc.property(instants, keys, (expiresAt, key) => {
      expect(readExpirySort(expiryKey(key, expiresAt, 16).s.B)).toEqual({ expiresAt, key });
    }),
  );
});

it.each([1015, 1016, 1017, 1024])('a key of %i bytes has a sort key that DynamoDB takes, and its own', (length) => {
  const [key, other] = [`${'k'.repeat(length - 1)}a`, `${'k'.repeat(length - 1)}b`];
  const sorts = [key, other].map((each) => expiryKey(each, 1, 16).s.B);
  expect(sorts.every((sort) => sort.length <= 1024)).toBe(true);
  expect(sorts[0]).not.toEqual(sorts[1]);
  expect(fitsSortKey(key)).toBe(length <= 1016);
  expect(Buffer.compare(expiryFrom(1, key), sorts[0] ?? Buffer.alloc(0))).toBeLessThanOrEqual(0);
});

it('spreads keys over all shards, each always to the same', () => {
  const shards = Array.from({ length: 1_000 }, (_, index) => shardOf(`entry/i-${index}`, 16));
  const counts = Array.from({ length: 16 }, (_, shard) => shards.filter((each) => each === shard).length);
  expect(Math.min(...counts)).toBeGreaterThan(30);
  expect(recordKey('k', 16)).toEqual(recordKey('k', 16));
});
