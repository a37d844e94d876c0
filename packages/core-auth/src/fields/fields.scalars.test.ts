/** Text, truth and whole numbers on the wire (FIELD-2 to FIELD-4). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { booleanField, integerField, MAX_INTEGER, textField } from './fields.js';
import { MAX_TEXT_CHARACTERS } from './limits.js';

const accepts = (schema: z.ZodType, wire: unknown): unknown => {
  const parsed = schema.safeParse(wire);
  return parsed.success ? parsed.data : 'refused';
};

describe('text', () => {
  it.each<[unknown, unknown]>([
    ['', ''],
    [' a ', ' a '],
    [5, '5'],
    [-1.5, '-1.5'],
    [true, '1'],
    [false, '0'],
    [null, ''],
    ['x'.repeat(MAX_TEXT_CHARACTERS), 'x'.repeat(MAX_TEXT_CHARACTERS)],
  ])('%j is read', (wire, text) => {
    expect(accepts(textField, wire)).toBe(text);
  });

  it.each([{}, [], ['a'], undefined, Number.NaN, Number.POSITIVE_INFINITY, 'x'.repeat(MAX_TEXT_CHARACTERS + 1)])(
    'anything else is refused (%#)',
    (wire) => {
      expect(accepts(textField, wire)).toBe('refused');
    },
  );
});

describe('truth', () => {
  it.each<[string, unknown, boolean]>([
    ['JSON', true, true],
    ['JSON', false, false],
    ['bool-003', 'T', true],
    ['bool-004', '', false],
    ['null', null, false],
    ['one', 1, true],
    ['zero', 0, false],
    ...['1', 't', 'TRUE', 'true', 'True'].map((text): [string, unknown, boolean] => ['text', text, true]),
    ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text): [string, unknown, boolean] => ['text', text, false]),
  ])('is read: %s %j', (_name, wire, value) => {
    expect(accepts(booleanField, wire)).toBe(value);
  });

  it.each<[string, unknown]>([
    ['bool-007', 'yes'],
    ['bool-008', 2],
    ['another case', 'tRUE'],
    ['a space', ' true'],
    ['a list', [true]],
    ['an object', {}],
  ])('is refused: %s %j', (_name, wire) => {
    expect(accepts(booleanField, wire)).toBe('refused');
  });
});

describe('a whole number', () => {
  it.each<[unknown, number]>([
    [0, 0],
    [-1, -1],
    ['', 0],
    [null, 0],
    ['42', 42],
    ['-1', -1],
    ['+7', 7],
    ['0x1f', 31],
    ['-0X10', -16],
    ['-0', 0],
    [MAX_INTEGER, MAX_INTEGER],
  ])('%j is read', (wire, value) => {
    expect(accepts(integerField, wire)).toBe(value);
  });

  it.each<[unknown]>([
    [1.5],
    ['1.5'],
    ['abc'],
    ['1e3'],
    ['010'],
    ['1_000'],
    [' 1'],
    ['0x'],
    ['--1'],
    [true],
    [[1]],
    [{}],
    [MAX_INTEGER + 1],
    ['9999999999'],
    [1e300],
    ['1'.repeat(100_000)],
  ])('is refused (%#)', (wire) => {
    expect(accepts(integerField, wire)).toBe('refused');
  });

  it('reads every whole number as text and as number alike', () => {
    fc.assert(
      fc.property(fc.integer({ min: -MAX_INTEGER, max: MAX_INTEGER }), (value) => {
        expect(accepts(integerField, value)).toBe(value);
        expect(accepts(integerField, String(value))).toBe(value);
      }),
    );
  });
});

describe('documents', () => {
  it.each([
    ['text', textField, ['string', 'number', 'boolean', 'null']],
    ['truth', booleanField, ['boolean', 'string', 'number', 'null']],
    ['whole numbers', integerField, ['number', 'string', 'null']],
  ])('can be made from %s', (_name, field, types) => {
    expect(z.toJSONSchema(field, { io: 'input' })).toMatchObject({ type: types });
  });
});
