import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeDerTime, TAG } from './der-cursor.js';

const decode = (tag: number, text: string) => decodeDerTime(tag, new TextEncoder().encode(text));

/** `YYYYMMDDHHMMSSZ`. */
const compact = (instant: Date) => `${instant.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;

it('agrees with the calendar on every second of 1950 to 2049 as UTCTime', () => {
  const range = { min: new Date('1950-01-01T00:00:00Z'), max: new Date('2049-12-31T23:59:59Z'), noInvalidDate: true };
  fc.assert(
    fc.property(fc.date(range), (date) => {
      const wholeSecond = Math.floor(date.getTime() / 1000) * 1000;
      expect(decode(TAG.utcTime, compact(date).slice(2))).toBe(wholeSecond);
    }),
  );
});

it('agrees with the calendar from 2050 on as GeneralizedTime', () => {
  const range = { min: new Date('2050-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true };
  fc.assert(
    fc.property(fc.date(range), (date) => {
      const wholeSecond = Math.floor(date.getTime() / 1000) * 1000;
      expect(decode(TAG.generalizedTime, compact(date))).toBe(wholeSecond);
    }),
  );
});

it.each([
  ['160229000000Z', Date.UTC(2016, 1, 29)],
  ['000229000000Z', Date.UTC(2000, 1, 29)],
  ['491231235959Z', Date.UTC(2049, 11, 31, 23, 59, 59)],
  ['500101000000Z', Date.UTC(1950, 0, 1)],
])('UTCTime %s is an instant', (text, instant) => {
  expect(decode(TAG.utcTime, text)).toBe(instant);
});

it.each<[tag: number, text: string, why: string]>([
  [TAG.utcTime, '150229000000Z', '29 February of a common year'],
  [TAG.utcTime, '160230000000Z', '30 February'],
  [TAG.utcTime, '160431000000Z', '31 April'],
  [TAG.utcTime, '161301000000Z', 'month 13'],
  [TAG.utcTime, '160001000000Z', 'month 0'],
  [TAG.utcTime, '160100000000Z', 'day 0'],
  [TAG.utcTime, '160101240000Z', 'hour 24'],
  [TAG.utcTime, '160101006000Z', 'minute 60'],
  [TAG.utcTime, '160101000060Z', 'a leap second'],
  [TAG.utcTime, '1601010000Z', 'no seconds'],
  [TAG.utcTime, '160101000000', 'no zone'],
  [TAG.utcTime, '160101000000z', 'a lower-case zone'],
  [TAG.utcTime, '160101000000+0000', 'an offset'],
  [TAG.utcTime, '16010100 000Z', 'a space'],
  [TAG.utcTime, '1601010:0000Z', 'a character after 9'],
  [TAG.utcTime, '', 'nothing'],
  [TAG.generalizedTime, '20160101000000Z', 'a year that UTCTime must carry'],
  [TAG.generalizedTime, '20500101000000.5Z', 'a fraction'],
  [TAG.generalizedTime, '21000229000000Z', '29 February of a common century'],
])('tag %i %s is refused: %s', (tag, text) => {
  expect(decode(tag, text)).toBeUndefined();
});
