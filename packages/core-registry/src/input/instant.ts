/** Instants in text: a day (its first instant in UTC) or RFC 3339 (REG-6: the sunset date). */
import { formatRfc3339, parseRfc3339 } from '@postern/kernel';
import type { EpochMillis } from '@postern/ports';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MAX_CHARACTERS = '2027-01-31T00:00:00.000+00:00'.length;

/** Years 1970 to 9999, at most milliseconds; undefined for any other text. */
export function parseInstant(text: string): EpochMillis | undefined {
  const full = DAY.test(text) ? `${text}T00:00:00Z` : text;
  const millis = full.length > MAX_CHARACTERS ? undefined : parseRfc3339(full);
  return millis === undefined || !Number.isInteger(millis) || millis < 0 || millis >= END ? undefined : millis;
}

/** The first instant that has no four-digit year. */
const END = 253_402_300_800_000;

/** `2027-01-31T00:00:00.000Z`. */
export const formatInstant = formatRfc3339;

/** `2027-01-31`, in UTC. */
export function formatDay(instant: EpochMillis): string {
  return formatInstant(instant).slice(0, 10);
}
