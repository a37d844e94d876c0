/** Fields of a call: checked, or named as unknown (FIELD-1, WIRE-19). */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isAuthError } from '../errors.js';
import { durationField } from './duration-field.js';
import { booleanField, described, listField, parseFields, textField } from './fields.js';
import { MAX_UNKNOWN_NAMED } from './limits.js';

const schema = z.object({
  text: described(textField, 'a text'),
  flag: described(booleanField, 'a flag'),
  wait: described(durationField, 'a duration'),
  items: described(listField, 'a list'),
});

describe('fields', () => {
  it('are present exactly where they were sent', () => {
    expect(parseFields(schema, {})).toEqual({ fields: {}, unknown: [] });
    const { fields } = parseFields(schema, { text: null, flag: '', items: null, wait: '1m' });
    expect(fields).toEqual({ text: '', flag: false, items: [], wait: 60 });
  });

  it('that are a null duration were not sent', () => {
    const { fields } = parseFields(schema, { wait: null, text: undefined });
    expect(Object.keys(fields)).toEqual([]);
  });

  it('that are unknown are named, and set nothing', () => {
    const raw: unknown = JSON.parse('{"text":"a","__proto__":{"flag":true},"constructor":1,"toString":2,"extra":3}');
    const { fields, unknown } = parseFields(schema, raw as Record<string, unknown>);
    expect(fields).toEqual({ text: 'a' });
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    expect(unknown).toEqual(['__proto__', 'constructor', 'toString', 'extra']);
  });

  it('are not read through a prototype', () => {
    expect(parseFields(schema, Object.create({ text: 'inherited' })).fields).toEqual({});
  });

  it('that are unknown are named up to a limit', () => {
    const raw = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${at}`.padStart(500, 'x'), 1]));
    const { unknown } = parseFields(schema, raw);
    expect(unknown).toHaveLength(MAX_UNKNOWN_NAMED);
    expect(unknown.join('').length).toBeLessThan(2000);
  });

  it.each<[string, unknown]>([
    ['text', {}],
    ['flag', 'maybe'],
    ['wait', 1.5],
    ['wait', '-5m'],
    ['items', 'a,,b'],
  ])('that are wrong are refused by name, without their value: %s', (field, wire) => {
    try {
      parseFields(schema, { [field]: wire });
      expect.unreachable();
    } catch (error) {
      if (!isAuthError(error)) throw error;
      expect(error.code).toBe('field_invalid');
      expect(error.details['field']).toBe(field);
      expect(Object.keys(error.details)).toEqual(['field', 'expected']);
    }
  });

  it('never show a secret that was sent in the wrong shape', () => {
    try {
      parseFields(schema, { text: { canary: 'canary-7f3a' } });
      expect.unreachable();
    } catch (error) {
      if (!isAuthError(error)) throw error;
      expect(`${error.message}${JSON.stringify(error.details)}${String(error.cause)}`).not.toContain('canary');
    }
  });

  it('carry their description into documents', () => {
    expect(JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))).toContain('"a duration"');
  });
});
