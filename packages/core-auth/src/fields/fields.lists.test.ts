/** Lists on the wire: every row of the table of FIELD-6. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { listField } from './fields.js';
import { MAX_LIST_ITEM_CHARACTERS, MAX_LIST_ITEMS } from './limits.js';

describe('a list', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['comma text', 'a,b', ['a', 'b']],
    ['list-002', ' a , b ', ['a', 'b']],
    ['list-005', '', []],
    ['an empty array', [], []],
    ['null', null, []],
    ['array items, which are not split', ['a,b', ' c '], ['a,b', 'c']],
    ['numbers and truth in an array', [1, true, 'x'], ['1', '1', 'x']],
    ['list-009', 5, ['5']],
    ['truth', true, ['1']],
    ['list-012', 'a,a,A', ['a', 'a', 'A']],
    ['as many items as may be', Array(MAX_LIST_ITEMS).fill('a'), Array(MAX_LIST_ITEMS).fill('a')],
  ])('is read: %s', (_name, wire, items) => {
    expect(listField.parse(wire)).toEqual(items);
  });

  it.each<[string, unknown]>([
    ['list-003, overridden by FIELD-6: an empty item', 'a,,b'],
    ['list-004, overridden by FIELD-6: one empty item', ' '],
    ['FIELD-6: a trailing comma', 'a,'],
    ['FIELD-6: null in an array', [null]],
    ['FIELD-6: white space in an array', ['a', '\t\n']],
    ['list-011', { k: 'v' }],
    ['an object in an array', [{}]],
    ['an array in an array', [['a']]],
    ['too many items', Array(MAX_LIST_ITEMS + 1).fill('a')],
    ['too many items in text', 'a,'.repeat(MAX_LIST_ITEMS).concat('a')],
    ['an item too long', 'x'.repeat(MAX_LIST_ITEM_CHARACTERS + 1)],
    ['far too much text', 'a,'.repeat(500_000)],
  ])('is refused: %s', (_name, wire) => {
    expect(listField.safeParse(wire).success).toBe(false);
  });

  it('never holds an empty or untrimmed item, and reads its own output as itself (FIELD-7)', () => {
    const wire = fc.oneof(fc.anything(), fc.string(), fc.array(fc.string()), fc.stringMatching(/^[ab, ]{0,20}$/));
    fc.assert(
      fc.property(wire, (some) => {
        const parsed = listField.safeParse(some);
        if (!parsed.success) return;
        for (const item of parsed.data) expect(item.trim()).toBe(item);
        expect(parsed.data).not.toContain('');
        expect(listField.parse(parsed.data)).toEqual(parsed.data);
      }),
      { numRuns: 1000 },
    );
  });

  it('can be documented', () => {
    expect(JSON.stringify(z.toJSONSchema(listField, { io: 'input' }))).toContain('"array"');
  });
});
