/** Fields of an operation: optional, and described for the documents made from the catalogue. */
import type { z } from 'zod';

/** `field` as an optional member with a description. */
export function described<T extends z.ZodType>(field: T, description: string) {
  return field.meta({ description }).optional();
}
