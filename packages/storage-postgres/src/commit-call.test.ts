/** A commit on its way out: locks in one order for all, conditions that never match by accident; and on its way back. */
import type { Operation, Precondition } from '@postern/ports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCommit, encodeCommit } from './commit-call.js';

const check = (key: string, condition: Precondition = 'any'): Operation => ({ type: 'check', key, if: condition });
const put = (key: string): Operation => ({ type: 'put', key, value: 'v', if: 'any' });

it('records are locked in the order of the bytes of their keys, whatever the order of the operations', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1, maxLength: 25 }),
      (keys) => {
        const encoded = encodeCommit(keys.map(put));
        expect(encoded.values).toEqual(encodeCommit([...keys].reverse().map(put)).values);
        const bytes = encoded.recordKeys.map((key) => Buffer.from(key));
        expect(bytes).toEqual([...bytes].sort(Buffer.compare));
      },
    ),
  );
});

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
    expect(encodeCommit([check('k', condition)]).values[2]).toEqual([expected]);
  });
});

describe('an answer', () => {
  const call = encodeCommit([put('a'), check('b'), put('c')]);

  it('names the new versions by operation', () => {
    expect(decodeCommit(call, { failed: [], versions: ['4', null, '5'], positions: null })).toEqual({
      versions: ['4', undefined, '5'],
      positions: [],
    });
  });

  it('of checks alone has none', () => {
    const checks = encodeCommit([check('a'), check('b')]);
    expect(decodeCommit(checks, { failed: [], versions: null, positions: null })).toEqual({
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
    const refused = () => decodeCommit(mixed, { failed: [2], versions: null, positions: null });
    expect(refused).toThrow(expect.objectContaining({ keys: ['b'] }));
  });

  it('comes in the order of the operations, not in that of the locks', () => {
    const turned = encodeCommit([put('b'), put('a')]);
    expect(decodeCommit(turned, { failed: [], versions: ['1', '2'], positions: [] }).versions).toEqual(['2', '1']);
  });

  it('names the keys whose condition failed', () => {
    const refused = () => decodeCommit(call, { failed: [1, 3], versions: null, positions: null });
    expect(refused).toThrow(expect.objectContaining({ name: 'StorageError', code: 'conflict', keys: ['a', 'c'] }));
  });
});
