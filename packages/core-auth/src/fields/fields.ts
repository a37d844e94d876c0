/**
 * Fields of operations (FIELD-1 to FIELD-4, FIELD-6, WIRE-19): what JSON may hold there, and one function from that to the
 * value. Lists: comma-separated text or a JSON array, whose items are not split; items are trimmed, empty ones rejected
 * (`" "` would satisfy "at least one constraint" and bind nothing), nothing is deduplicated or folded.
 * Names in paths (WIRE-7, ROLE-2): which texts are names, and when two role names are one.
 */

import { lowerAscii } from '@postern/kernel';
import * as z from 'zod';
import { AuthError } from '../errors.js';
import {
  MAX_LIST_ITEM_CHARACTERS,
  MAX_LIST_ITEMS,
  MAX_NAME_CHARACTERS,
  MAX_TEXT_CHARACTERS,
  MAX_UNKNOWN_CHARACTERS,
  MAX_UNKNOWN_NAMED,
} from './limits.js';

/** What a conversion answers for a value that it rejects. */
export const REFUSED = Symbol('refused');

/**
 * A schema whose input side is plain JSON (so that documents can be made from it) and whose output is `convert`'s.
 *
 * @typeParam Typed what a typed program passes, where that is less than the wire accepts
 * @param expected what a person should send, for the error: never repeats what was sent.
 */
export function wireField<I extends z.ZodType, T, Typed = z.input<I>>(
  input: I,
  expected: string,
  convert: (value: z.output<I>) => T | typeof REFUSED,
): z.ZodType<T, Typed> {
  const schema = input.transform((value, context): T => {
    const converted = convert(value);
    if (converted !== REFUSED) return converted;
    context.issues.push({ code: 'custom', message: expected, input: undefined });
    return z.NEVER;
  });
  // The wire takes more than a typed program should write (`5` for a text): `Typed` is a part of what `input` accepts.
  return schema as unknown as z.ZodType<T, Typed>;
}

const EXPECTED_TEXT = `a text of at most ${MAX_TEXT_CHARACTERS} characters`;

/** JSON that stands for one text: text, number, true, false, null. */
export const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], { error: EXPECTED_TEXT });

/** `5` is `"5"`, `true` is `"1"`, `false` is `"0"`, null is `""`. */
export function scalarText(value: z.output<typeof scalar>): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? '1' : '0';
  return String(value);
}

export const textField = wireField<typeof scalar, string, string>(scalar, EXPECTED_TEXT, (value) => {
  const text = scalarText(value);
  return text.length > MAX_TEXT_CHARACTERS ? REFUSED : text;
});

const EXPECTED_BOOLEAN = 'true or false';
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False', '']);

const wireBoolean = z.union([z.boolean(), z.string(), z.number(), z.null()], { error: EXPECTED_BOOLEAN });

const wireChoice = z.union([z.boolean(), z.string(), z.number(), z.null()], { error: 'true, false or null' });

export const booleanField = wireField<typeof wireBoolean, boolean, boolean>(wireBoolean, EXPECTED_BOOLEAN, (value) => {
  if (typeof value === 'boolean') return value;
  const text = value === null ? '' : String(value);
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : REFUSED;
});

const EXPECTED_CHOICE = 'true, false or null';

/** A boolean that can be left open: null and empty text are `open`. */
export const choiceField = wireField<typeof wireChoice, boolean | 'open', boolean | null>(
  wireChoice,
  EXPECTED_CHOICE,
  (value) => {
    if (value === null || value === '') return 'open';
    const text = String(value);
    if (TRUE.has(text)) return true;
    return FALSE.has(text) ? false : REFUSED;
  },
);

/** 32 bits: nothing counted here is larger, and every client and database holds it. */
export const MAX_INTEGER = 2 ** 31 - 1;

const EXPECTED_INTEGER = `a whole number between -${MAX_INTEGER} and ${MAX_INTEGER}`;

/** No leading zeros: some readers take them for octal. */
const INTEGER = /^[+-]?(?:0|[1-9]\d{0,9}|0[xX][0-9a-fA-F]{1,8})$/;

const wireInteger = z.union([z.number(), z.string(), z.null()], { error: EXPECTED_INTEGER });

export const integerField = wireField<typeof wireInteger, number, number>(wireInteger, EXPECTED_INTEGER, (value) => {
  const number = typeof value === 'number' ? value : parseInteger(value ?? '');
  if (number === REFUSED || !Number.isInteger(number) || Math.abs(number) > MAX_INTEGER) return REFUSED;
  // Not -0: it is zero, and JSON would make it so on the way through storage.
  return number === 0 ? 0 : number;
});

function parseInteger(text: string): number | typeof REFUSED {
  if (text === '') return 0;
  if (!INTEGER.test(text)) return REFUSED;
  const isNegative = text.startsWith('-');
  // `Number` reads no sign before `0x`.
  const magnitude = Number(text.replace(/^[+-]/, ''));
  return isNegative ? -magnitude : magnitude;
}

const EXPECTED_LIST =
  `a list: comma-separated text or an array of at most ${MAX_LIST_ITEMS} texts, ` +
  `none of them empty or longer than ${MAX_LIST_ITEM_CHARACTERS} characters`;

const wireList = z.union([...scalar.options, z.array(scalar).max(MAX_LIST_ITEMS)], { error: EXPECTED_LIST });

export const listField = wireField<typeof wireList, readonly string[], string | readonly string[]>(
  wireList,
  EXPECTED_LIST,
  (value) => {
    const items = Array.isArray(value) ? value.map(scalarText) : split(scalarText(value));
    if (items === REFUSED || items.length > MAX_LIST_ITEMS) return REFUSED;
    const trimmed = items.map((item) => item.trim());
    const isBad = trimmed.some((item) => item === '' || item.length > MAX_LIST_ITEM_CHARACTERS);
    return isBad ? REFUSED : trimmed;
  },
);

function split(text: string): string[] | typeof REFUSED {
  if (text.length > MAX_TEXT_CHARACTERS) return REFUSED;
  return text === '' ? [] : text.split(',');
}

/** `field` as an optional member with a description. */
export function described<T extends z.ZodType>(field: T, description: string) {
  return field.meta({ description }).optional();
}

export const keysOutput = z.object({ keys: z.array(z.string()) });

export interface ParsedFields<F> {
  /** Only fields that were sent are present: a null duration was not sent. */
  readonly fields: F;
  /** Unknown names, cut to a bearable length, for a warning. */
  readonly unknown: readonly string[];
}

/**
 * @param schema every field optional, each made of the wire types of this folder.
 * @param raw own enumerable members count, whatever they are called; nothing is read through a prototype.
 * @throws AuthError `field_invalid`, with the first bad field and what is expected there; never with what was sent.
 */
export function parseFields<F extends z.ZodObject>(
  schema: F,
  raw: Readonly<Record<string, unknown>>,
): ParsedFields<z.output<F>> {
  const known: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const name of Object.keys(raw)) {
    const value = raw[name];
    if (value === undefined) continue;
    // A name of the schema: never `__proto__`.
    if (Object.hasOwn(schema.shape, name)) known[name] = value;
    else if (unknown.length < MAX_UNKNOWN_NAMED) unknown.push(name.slice(0, MAX_UNKNOWN_CHARACTERS));
  }
  const parsed = schema.safeParse(known);
  if (!parsed.success) throw refuse(parsed.error);
  const fields: Record<string, unknown> = parsed.data;
  for (const name of Object.keys(fields)) if (fields[name] === undefined) delete fields[name];
  // Leaving out members that are undefined keeps the type: every member of such a schema is optional.
  return { fields: fields as z.output<F>, unknown };
}

function refuse(error: z.ZodError): AuthError {
  const [issue] = error.issues;
  const field = String(issue?.path[0] ?? '');
  const expected = issue?.message ?? 'another value';
  return new AuthError('field_invalid', `${field}: must be ${expected}`, { details: { field, expected } });
}

/** Without flags `\w` is ASCII letters, digits and underscore. */
const NAME = /^\w(?:[\w.-]*\w)?$/;

/** Whether a text may stand in a path: a word character, or a longer text of those, `.` and `-` that begins and ends with one. */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME_CHARACTERS && NAME.test(text);
}

/** ASCII letters only: the Kelvin sign, dotless i and long s must not become letters of somebody else's role (THREAT-29). */
export function foldRoleName(name: string): string {
  return lowerAscii(name);
}

/**
 * A path parameter that must be a name, as it was given.
 *
 * @throws AuthError `not_found` for any other text, like any unknown path (WIRE-7, ROLE-2).
 */
export function requireName(params: Readonly<Record<string, string>>, parameter: string): string {
  const name = Object.hasOwn(params, parameter) ? params[parameter] : undefined;
  if (name === undefined || !isName(name)) throw new AuthError('not_found', 'there is nothing at this path');
  return name;
}

/** `requireName` for role names: folded. @throws AuthError `not_found` */
export function requireRoleName(params: Readonly<Record<string, string>>, parameter = 'role'): string {
  return foldRoleName(requireName(params, parameter));
}
