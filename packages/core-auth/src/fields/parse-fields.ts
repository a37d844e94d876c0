/** From what a transport parsed to what a handler takes: every known field checked, the others named (FIELD-1, WIRE-14). */
import type { z } from 'zod';
import { AuthError } from '../errors.js';
import { MAX_UNKNOWN_CHARACTERS, MAX_UNKNOWN_NAMED } from './limits.js';

export interface ParsedFields<F> {
  /** Only fields that were sent are present: a null duration was not sent. */
  readonly fields: F;
  /** Names nobody asked for, cut to a bearable length, for a warning. */
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
  const known = new Map<string, unknown>();
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined) continue;
    if (Object.hasOwn(schema.shape, name)) known.set(name, value);
    else if (unknown.length < MAX_UNKNOWN_NAMED) unknown.push(name.slice(0, MAX_UNKNOWN_CHARACTERS));
  }
  const parsed = schema.safeParse(Object.fromEntries(known));
  if (!parsed.success) throw refuse(parsed.error);
  const sent = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  // Leaving out members that are undefined keeps the type: every member of such a schema is optional.
  return { fields: Object.fromEntries(sent) as z.output<F>, unknown };
}

function refuse(error: z.ZodError): AuthError {
  const [issue] = error.issues;
  const field = String(issue?.path[0] ?? '');
  const expected = issue?.message ?? 'another value';
  return new AuthError('field_invalid', `${field}: must be ${expected}`, { details: { field, expected } });
}
