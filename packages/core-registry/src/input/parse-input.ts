/** From what a caller sent to what a command takes; the first member at fault is named by its JSON pointer (REGAPI-6). */
import type { z } from 'zod';
import { RegistryError } from '../errors.js';

/**
 * @throws RegistryError `input_invalid` with pointer (RFC 6901) and what is expected there; never with what was sent.
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const pointer = (issue?.path ?? []).map((part) => `/${escapeToken(String(part))}`).join('');
  throw invalidInput(pointer, issue?.message ?? 'another value');
}

export function invalidInput(pointer: string, expected: string): RegistryError {
  const subject = pointer === '' ? 'the input' : pointer.slice(1).replaceAll('/', '.');
  return new RegistryError('input_invalid', `${subject}: must be ${expected}`, { pointer, details: { expected } });
}

function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
