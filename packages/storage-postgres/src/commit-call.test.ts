/** A commit on its way out: locks in one order for all, conditions that never match by accident; and on its way back. */
import type { Operation, Precondition } from '@postern/ports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCommit, encodeCommit, lockNumber } from './commit-call.js';

const check = (key: string, condition: Precondition = 'any'): Operation => ({ type: 'check', key, if: condition });
const put = (key: string): Operation => ({ type: 'put', key, value: 'v', if: 'any' });

describe('locks', () => {
  it('are the same in every release: nodes of two releases share a database', () => {
    expect([lockNumber('a'), lockNumber('postern/auth/role/web')]).toEqual([
      -3848465438864589366n,
      2543292903767319400n,
    ]);
  });

  it('are taken in rising order, whatever the order of the operations', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 25 }), (keys) => {
        const [numbers] = encodeCommit(keys.map(put)).values;
        const [reversed] = encodeCommit([...keys].reverse().map(put)).values;
        expect(numbers).toEqual(reversed);
        const taken = bigintsOf(numbers);
        expect(taken).toEqual([...taken].sort((a, b) => (a < b ? -1 : 1)));
        expect(new Set(taken).size).toBe(taken.length);
      }),
    );
  });

  it('are shared for checks alone', () => {
    const byNumber = (operations: readonly Operation[]) => {
      const [numbers, shared] = encodeCommit(operations).values;
      return new Map(bigintsOf(numbers).map((number, at) => [number, Array.isArray(shared) && shared[at]]));
    };
    const locks = byNumber([check('a'), put('b'), { type: 'delete', key: 'c', if: 'any' }]);
    expect(locks.get(lockNumber('a'))).toBe(true);
    expect(locks.get(lockNumber('b'))).toBe(false);
    expect(locks.get(lockNumber('c'))).toBe(false);
  });
});

function bigintsOf(numbers: unknown): readonly bigint[] {
  return Array.isArray(numbers) ? numbers.map((number) => BigInt(String(number))) : [];
}

describe('conditions', () => {
  it.each<[Precondition, string]>([
    ['any', '-3'],
    ['absent', '-2'],
    ['present', '-1'],
    [{ version: '17' }, '17'],
    [{ version: '9223372036854775807' }, '9223372036854775807'],
    [{ version: '9223372036854775808' }, '0'],
    [{ version: '-2' }, '0'],
    [{ version: '017' }, '0'],
    [{ version: '' }, '0'],
    [{ version: '1; DROP' }, '0'],
  ])('%j is sent as %s', (condition, expected) => {
    expect(encodeCommit([check('k', condition)]).values[4]).toEqual([expected]);
  });
});

describe('an answer', () => {
  const call = encodeCommit([put('a'), check('b'), put('c')]);

  it('names the new versions by operation', () => {
    expect(decodeCommit(call, { failed: [], versions: ['4', null, '5'] })).toEqual({
      versions: ['4', undefined, '5'],
      positions: [],
    });
  });

  it('of checks alone has none', () => {
    const checks = encodeCommit([check('a'), check('b')]);
    expect(decodeCommit(checks, { failed: [], versions: null })).toEqual({
      versions: [undefined, undefined],
      positions: [],
    });
  });

  it('skips appends when it names versions and keys by operation', () => {
    const mixed = encodeCommit([{ type: 'append', log: 'l', value: 'v' }, put('a'), put('b')]);
    expect(decodeCommit(mixed, { failed: [], versions: ['4', '5'], positions: ['9'] })).toEqual({
      versions: [undefined, '4', '5'],
      positions: ['9'],
    });
    const refused = () => decodeCommit(mixed, { failed: [2], versions: null });
    expect(refused).toThrow(expect.objectContaining({ keys: ['b'] }));
  });

  it('names the keys whose condition failed', () => {
    const refused = () => decodeCommit(call, { failed: [1, 3], versions: null });
    expect(refused).toThrow(expect.objectContaining({ name: 'StorageError', code: 'conflict', keys: ['a', 'c'] }));
  });
});
