/**
 * Lists on the wire (FIELD-6): comma-separated text or a JSON array, whose items are not split.
 * Items are trimmed. Empty items are refused: `" "` would satisfy "at least one constraint" and bind nothing.
 * Empty text, `[]` and null are the empty list. Nothing is deduplicated or folded.
 */
import { z } from 'zod';
import { MAX_LIST_ITEM_CHARACTERS, MAX_LIST_ITEMS, MAX_TEXT_CHARACTERS } from './limits.js';
import { scalar, scalarText } from './text-field.js';
import { REFUSED, wireField } from './wire-field.js';

const EXPECTED =
  `a list: comma-separated text or an array of at most ${MAX_LIST_ITEMS} texts, ` +
  `none of them empty or longer than ${MAX_LIST_ITEM_CHARACTERS} characters`;

const wire = z.union([...scalar.options, z.array(scalar).max(MAX_LIST_ITEMS)], { error: EXPECTED });

export const listField = wireField(wire, EXPECTED, (value): readonly string[] | typeof REFUSED => {
  const items = Array.isArray(value) ? value.map(scalarText) : split(scalarText(value));
  if (items === REFUSED || items.length > MAX_LIST_ITEMS) return REFUSED;
  const trimmed = items.map((item) => item.trim());
  const isBad = trimmed.some((item) => item === '' || item.length > MAX_LIST_ITEM_CHARACTERS);
  return isBad ? REFUSED : trimmed;
});

function split(text: string): string[] | typeof REFUSED {
  if (text.length > MAX_TEXT_CHARACTERS) return REFUSED;
  return text === '' ? [] : text.split(',');
}
