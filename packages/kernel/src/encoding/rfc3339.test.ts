/** RFC 3339 times against the platform's own calendar, which core itself may not use. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRfc3339, parseRfc3339 } from './rfc3339.js';

const MIN = Date.UTC(1, 0, 1) - 1900 * 365.2425 * 86_400_000;
const MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

describe('RFC 3339 times', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0],
    ['2024-01-02T03:04:05Z', Date.UTC(2024, 0, 2, 3, 4, 5)],
    ['2024-02-29T23:59:59.5Z', Date.UTC(2024, 1, 29, 23, 59, 59, 500)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['2024-01-02T03:04:05+02:00', Date.UTC(2024, 0, 2, 1, 4, 5)],
    ['2024-01-02T03:04:05-02:30', Date.UTC(2024, 0, 2, 5, 34, 5)],
    ['1969-12-31T23:59:59.999Z', -1],
  ])('reads %s', (text, instant) => {
    expect(parseRfc3339(text)).toBe(instant);
  });

  it.each([
    'notatime',
    '',
    '2024-01-02',
    '2024-01-02 03:04:05Z',
    '2024-01-02t03:04:05z',
    '2024-01-02T03:04:05',
    '2024-01-02T03:04Z',
    '2024-1-02T03:04:05Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00.Z',
    '2024-01-01T00:00:00.1234567890Z',
    '2024-01-01T00:00:00+24:00',
    '2024-01-01T00:00:00+0100',
    ' 2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00Z\n',
    '٢٠٢٤-01-01T00:00:00Z',
    '+2024-01-01T00:00:00Z',
  ])('refuses %j', (text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  });

  it('keeps what is finer than a millisecond apart', () => {
    const earlier = parseRfc3339('2024-01-01T00:00:00.000001Z') ?? 0;
    const later = parseRfc3339('2024-01-01T00:00:00.000002Z') ?? 0;
    expect(later).toBeGreaterThan(earlier);
  });

  it('formats as the platform does and reads its own text back', () => {
    fc.assert(
      fc.property(fc.integer({ min: Math.ceil(MIN), max: MAX }), (instant) => {
        const text = formatRfc3339(instant);
        expect(text).toBe(new Date(instant).toISOString());
        expect(parseRfc3339(text)).toBe(instant);
      }),
      { numRuns: 500 },
    );
  });
});
