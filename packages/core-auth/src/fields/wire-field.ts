/** How a field is read off the wire: what JSON may hold there, and one function from that to the value (FIELD-1). */
import { z } from 'zod';

/** What a conversion answers when the text or number cannot be meant. */
export const REFUSED = Symbol('refused');

/**
 * A schema whose input side is plain JSON (so that documents can be made from it) and whose output is `convert`'s.
 *
 * @param expected what a person should send, for the error: never repeats what was sent.
 */
export function wireField<I extends z.ZodType, T>(
  input: I,
  expected: string,
  convert: (value: z.output<I>) => T | typeof REFUSED,
) {
  return input.transform((value, context): T => {
    const converted = convert(value);
    if (converted !== REFUSED) return converted;
    context.issues.push({ code: 'custom', message: expected, input: undefined });
    return z.NEVER;
  });
}
