/** Text on the wire (FIELD-2): numbers and booleans become text, null is empty text and counts as sent. */
import { z } from 'zod';
import { MAX_TEXT_CHARACTERS } from './limits.js';
import { REFUSED, wireField } from './wire-field.js';

const EXPECTED = `a text of at most ${MAX_TEXT_CHARACTERS} characters`;

/** JSON that stands for one text: text, number, true, false, null. */
export const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], { error: EXPECTED });

/** `5` is `"5"`, `true` is `"1"`, `false` is `"0"`, null is `""`. */
export function scalarText(value: z.output<typeof scalar>): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  return String(value);
}

export const textField = wireField(scalar, EXPECTED, (value) => {
  const text = scalarText(value);
  return text.length > MAX_TEXT_CHARACTERS ? REFUSED : text;
});
