/** `POST /batch-keys/rotate`, ours (BATCH-3): a new key for batch tokens at once, and the only way to end them early. */
import { z } from 'zod';
import { booleanField } from '../fields/boolean-field.js';
import { described } from '../fields/described.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation, type Operation } from '../operation.js';
import { createKeyRing } from './key-ring.js';

export function createBatchKeyOperation(context: MethodContext): Operation {
  return defineOperation({
    id: 'batch-keys.rotate',
    summary: 'Make a new key for batch tokens; with forget, end every batch token that was issued',
    verb: 'write',
    scope: 'mount',
    path: 'batch-keys/rotate',
    access: 'management',
    fields: z.object({ forget: described(booleanField, 'Drop all other keys: batch tokens under them end at once.') }),
    output: z.object({ keys: z.int().positive() }),
    async handle(request) {
      const forget = request.fields.forget ?? false;
      request.note({ details: { forget: String(forget) } });
      return { data: { keys: await createKeyRing(context).rotate(forget, request) } };
    },
  });
}
