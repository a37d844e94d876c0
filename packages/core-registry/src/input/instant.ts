/** Instants in text: a day (its first instant in UTC) or RFC 3339 (REG-6: the sunset date). */
import type { EpochMillis } from '@postern/ports';
import { parseISO } from 'date-fns/parseISO';
import { toDate } from 'date-fns/toDate';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT =
  /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Years 1970 to 9999; undefined for any other text. */
export function parseInstant(text: string): EpochMillis | undefined {
  const full = DAY.test(text) ? `${text}T00:00:00Z` : text;
  if (!INSTANT.test(full)) return undefined;
  const millis = parseISO(full).getTime();
  return Number.isNaN(millis) || millis < 0 || millis >= END ? undefined : millis;
}

/** The first instant that has no four-digit year. */
const END = 253_402_300_800_000;

/** `2027-01-31T00:00:00.000Z`. */
export function formatInstant(instant: EpochMillis): string {
  return toDate(instant).toISOString();
}

/** `2027-01-31`, in UTC. */
export function formatDay(instant: EpochMillis): string {
  return formatInstant(instant).slice(0, 10);
}
