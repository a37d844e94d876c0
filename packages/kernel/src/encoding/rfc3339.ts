/**
 * RFC 3339 times, strictly and without `Date` (NONCE-6: an identity document's pendingTime is compared, so two
 * spellings of one instant must be one number). Upper-case `T` and `Z`, no leap second, at most nanoseconds.
 */
import type { EpochMillis } from '@postern/ports';

const PATTERN = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const DAY_MS = 86_400_000;
const DAYS_TO_EPOCH = 719_468;
const DAYS_IN_ERA = 146_097;

/** The instant in milliseconds, fraction included (sub-millisecond digits stay as a fraction); undefined if malformed. */
export function parseRfc3339(text: string): EpochMillis | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? '0');
  const [year, month, day] = [part(1), part(2), part(3)];
  const [hour, minute, second] = [part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(9), part(10)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const offsetMs = (offsetHour * 60 + offsetMinute) * 60_000 * (match[8] === '-' ? -1 : 1);
  const fractionMs = match[7] === undefined ? 0 : Number(`0.${match[7]}`) * 1000;
  return daysFromCivil(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs - offsetMs;
}

/** `2026-11-21T09:05:25.258Z`: UTC, milliseconds. Instants of years 0 to 9999. */
export function formatRfc3339(instant: EpochMillis): string {
  const whole = Math.floor(instant);
  const days = Math.floor(whole / DAY_MS);
  const ms = whole - days * DAY_MS;
  const { year, month, day } = civilFromDays(days);
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
  const time = `${pad(Math.floor(ms / 3_600_000), 2)}:${pad(Math.floor(ms / 60_000) % 60, 2)}:${pad(Math.floor(ms / 1000) % 60, 2)}`;
  return `${date}T${time}.${pad(ms % 1000, 3)}Z`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar; years begin in March so that leap days come last. */
function daysFromCivil(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_IN_ERA + dayOfEra - DAYS_TO_EPOCH;
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + DAYS_TO_EPOCH;
  const era = Math.floor(shifted / DAYS_IN_ERA);
  const dayOfEra = shifted - era * DAYS_IN_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}
