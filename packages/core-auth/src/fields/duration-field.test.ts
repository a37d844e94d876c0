/** Every row of the duration table of FIELD-5. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { durationField, parseDuration } from './duration-field.js';
import { MAX_DURATION_SECONDS } from './limits.js';

describe('a duration', () => {
  it.each<[string, unknown, number | undefined]>([
    ['dur-001', 0, 0],
    ['a number', 60, 60],
    ['dur-002', '60', 60],
    ['a plus sign', '+5', 5],
    ['dur-003', '', 0],
    ['minutes', '5m', 300],
    ['dur-006', '1h30m', 5400],
    ['a fraction', '1.5h', 5400],
    ['days', '2d', 172_800],
    ['dur-021', '5s5s', 10],
    ['dur-014', '1500ms', 1],
    ['dur-015', '999ms', 0],
    ['parts of a second that add up', '999ms1ms', 1],
    ['microseconds', '1000000us', 1],
    ['microseconds by the micro sign', '2000000\u00b5s', 2],
    ['microseconds by the letter mu', '2000000\u03bcs', 2],
    ['nanoseconds', '3000000000ns', 3],
    ['a leading point', '.5h', 1800],
    ['a trailing point', '1.h', 3600],
    ['a tenth that binary cannot hold', '0.1s0.2s0.7s', 1],
    ['minus nothing', '-0s', 0],
    ['minus zero', -0, 0],
    ['the greatest', MAX_DURATION_SECONDS, MAX_DURATION_SECONDS],
    ['null, which was not sent', null, undefined],
  ])('is read: %s (%j)', (_name, wire, seconds) => {
    expect(durationField.parse(wire)).toBe(seconds);
  });

  it.each<[string, unknown]>([
    ['dur-011', -5],
    ['a negative text', '-5'],
    ['negative minutes', '-5m'],
    ['dur-013', 1.5],
    ['dur-017', 'abc'],
    ['dur-018', true],
    ['an array', [1]],
    ['an object', {}],
    ['days with hours', '1d12h'],
    ['part of a day', '1.5d'],
    ['a leading space', ' 5m'],
    ['a space inside', '5 m'],
    ['an exponent', '1e3'],
    ['hexadecimal', '0x10'],
    ['overflow', '9999999999999'],
    ['overflow as a number', MAX_DURATION_SECONDS + 1],
    ['overflow by exponent', 1e300],
    ['overflow in days', '999999999999d'],
    ['overflow in hours', '9999999999999999h'],
    ['an exponent with a unit', '1e9h'],
    ['NaN', 'NaN'],
    ['a lone sign', '+'],
    ['two signs', '--5'],
    ['a unit alone', 'h'],
    ['a point alone', '.h'],
    ['no unit after one', '1h30'],
    ['an upper-case unit', '5M'],
    ['digits of another script', '\u0665m'],
    ['a trailing line feed', '5m\n'],
    ['far too many digits', '1'.repeat(100_000)],
  ])('is refused: %s', (_name, wire) => {
    expect(durationField.safeParse(wire).success).toBe(false);
  });

  it('reads what it is written as', () => {
    const part = fc.nat(100_000);
    fc.assert(
      fc.property(part, part, part, (h, m, s) => {
        expect(parseDuration(`${h}h${m}m${s}s`)).toBe(h * 3600 + m * 60 + s);
      }),
    );
  });

  it('is whole, in range or refused, whatever is sent', () => {
    const near = fc.stringMatching(/^[+-]?[0-9.dhmsnu\u00b5 e]{0,70}$/);
    fc.assert(
      fc.property(fc.oneof(fc.anything(), near, fc.double()), (wire) => {
        const parsed = durationField.safeParse(wire);
        if (!parsed.success || parsed.data === undefined) return;
        expect(Number.isSafeInteger(parsed.data)).toBe(true);
        expect(parsed.data).toBeGreaterThanOrEqual(0);
        expect(parsed.data).toBeLessThanOrEqual(MAX_DURATION_SECONDS);
      }),
      { numRuns: 2000 },
    );
  });

  it('can be documented', () => {
    expect(z.toJSONSchema(durationField, { io: 'input' })).toMatchObject({
      type: ['number', 'string', 'null'],
    });
  });
});
