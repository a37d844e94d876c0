/** Whole numbers on the wire (FIELD-4): a number or its text, decimal or `0x`; empty and null are zero. */
import { z } from 'zod';
import { REFUSED, wireField } from './wire-field.js';

/** 32 bits: nothing counted here is larger, and no client or database of ours cuts it. */
export const MAX_INTEGER = 2 ** 31 - 1;

const EXPECTED = `a whole number between -${MAX_INTEGER} and ${MAX_INTEGER}`;

/** No leading zeros: some readers take them for octal. */
const INTEGER = /^[+-]?(?:0|[1-9]\d{0,9}|0[xX][0-9a-fA-F]{1,8})$/;

export const integerField = wireField(
  z.union([z.number(), z.string(), z.null()], { error: EXPECTED }),
  EXPECTED,
  (value) => {
    const number = typeof value === 'number' ? value : parseInteger(value ?? '');
    if (number === REFUSED || !Number.isInteger(number) || Math.abs(number) > MAX_INTEGER) return REFUSED;
    // Not -0: it is zero, and JSON would make it so on the way through storage.
    return number === 0 ? 0 : number;
  },
);

function parseInteger(text: string): number | typeof REFUSED {
  if (text === '') return 0;
  if (!INTEGER.test(text)) return REFUSED;
  const isNegative = text.startsWith('-');
  // `Number` reads no sign before `0x`.
  const magnitude = Number(text.replace(/^[+-]/, ''));
  return isNegative ? -magnitude : magnitude;
}
