/**
 * Durations on the wire (FIELD-5): seconds as number or text, `1h30m`, `1.5h`, `2d`; to whole
 * seconds, rounded down. Empty is zero; null means that the field was not sent.
 */
import * as z from 'zod';
import { REFUSED, wireField } from './fields.js';
import { MAX_DURATION_CHARACTERS, MAX_DURATION_SECONDS } from './limits.js';

const EXPECTED = 'a duration: seconds, or text such as 90s, 1h30m, 2d; not negative, below 292 years';

const NANOS_PER_SECOND = 1_000_000_000n;
const SECONDS_PER_DAY = 86_400;

/** Nanoseconds. The sign of micro has two code points. */
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', NANOS_PER_SECOND],
  ['m', 60n * NANOS_PER_SECOND],
  ['h', 3_600n * NANOS_PER_SECOND],
]);

/** One amount with its unit. Sticky, and each part excludes the next one's characters: no backtracking to speak of. */
const AMOUNT = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

const wire = z.union([z.number(), z.string(), z.null()], { error: EXPECTED });

export const durationField = wireField<typeof wire, number | undefined, number | string>(wire, EXPECTED, (value) => {
  if (value === null) return undefined;
  return (typeof value === 'number' ? checkSeconds(value) : parseDuration(value)) ?? REFUSED;
});

/** Whole seconds, or undefined where the text is not a duration. `""` is zero. */
export function parseDuration(text: string): number | undefined {
  if (text === '') return 0;
  if (text.length > MAX_DURATION_CHARACTERS) return undefined;
  const isNegative = text.startsWith('-');
  const magnitude = parseMagnitude(isNegative || text.startsWith('+') ? text.slice(1) : text);
  // "-0s" is zero: only what is below it is refused.
  return isNegative && magnitude !== 0 ? undefined : magnitude;
}

function parseMagnitude(text: string): number | undefined {
  if (/^\d+$/.test(text)) return checkSeconds(Number(text));
  if (/^\d+d$/.test(text)) return checkSeconds(Number(text.slice(0, -1)) * SECONDS_PER_DAY);
  // "0" without a unit was read above; an empty text here was a lone sign.
  if (text === '') return undefined;
  let nanos = 0n;
  AMOUNT.lastIndex = 0;
  while (AMOUNT.lastIndex < text.length) {
    const amount = AMOUNT.exec(text);
    if (amount === null) return undefined;
    const [, whole = '', fraction = '', unit = ''] = amount;
    const size = UNITS.get(unit);
    if (size === undefined || whole + fraction === '') return undefined;
    nanos += BigInt(whole) * size + (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
  }
  return checkSeconds(Number(nanos / NANOS_PER_SECOND));
}

/** JSON's 1.5 is refused where "1.5s" is not: a number counts whole seconds. */
function checkSeconds(seconds: number): number | undefined {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_DURATION_SECONDS) return undefined;
  // Not -0.
  return seconds + 0;
}
