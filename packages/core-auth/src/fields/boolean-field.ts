/** Truth on the wire (FIELD-3): JSON's own, or one of the twelve spellings; empty and null are false. */
import { z } from 'zod';
import { REFUSED, wireField } from './wire-field.js';

const EXPECTED = 'true or false';
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False', '']);

export const booleanField = wireField(
  z.union([z.boolean(), z.string(), z.number(), z.null()], { error: EXPECTED }),
  EXPECTED,
  (value) => {
    if (typeof value === 'boolean') return value;
    const text = value === null ? '' : String(value);
    if (TRUE.has(text)) return true;
    return FALSE.has(text) ? false : REFUSED;
  },
);
