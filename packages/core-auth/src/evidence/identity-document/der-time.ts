/** Time as DER writes it: UTCTime to 2049, GeneralizedTime from 2050 (RFC 5652 11.3), whole seconds, always `Z`. */
import type { EpochMillis } from '@postern/ports';
import { TAG } from './der-cursor.js';

const ZERO = 0x30;
const ZULU = 0x5a;
const MS_PER_DAY = 86_400_000;
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The instant, or undefined where the content is not a real calendar time in the form that DER requires of it. */
export function decodeDerTime(tag: number, content: Uint8Array): EpochMillis | undefined {
  const yearDigits = tag === TAG.utcTime ? 2 : 4;
  if (content.length !== yearDigits + 11 || content[content.length - 1] !== ZULU) return undefined;
  for (let at = 0; at < content.length - 1; at += 1) {
    const digit = (content[at] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
  }
  const pair = (at: number): number => ((content[at] ?? 0) - ZERO) * 10 + (content[at + 1] ?? 0) - ZERO;
  const year = yearOf(tag, pair(0), pair(2));
  if (year === undefined) return undefined;
  const at = yearDigits;
  return epochMillis(year, pair(at), pair(at + 2), pair(at + 4), pair(at + 6), pair(at + 8));
}

function yearOf(tag: number, first: number, second: number): number | undefined {
  if (tag === TAG.utcTime) return first < 50 ? 2000 + first : 1900 + first;
  const year = first * 100 + second;
  return year >= 2050 ? year : undefined;
}

function epochMillis(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): EpochMillis | undefined {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const daysInMonth = (DAYS_IN_MONTH[month - 1] ?? 0) + (leap && month === 2 ? 1 : 0);
  if (day < 1 || day > daysInMonth || hour > 23 || minute > 59 || second > 59) return undefined;
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const daysSinceYearOne = before * 365 + leapDays + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + (leap && month > 2 ? 1 : 0);
  const days = daysSinceYearOne - 719_162 + day - 1;
  return days * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000;
}
