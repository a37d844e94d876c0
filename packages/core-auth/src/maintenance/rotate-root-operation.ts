/** `POST /config/rotate-root` (ROTATE-1). */
import { z } from 'zod';
import type { MethodContext } from '../method-context.js';
import { defineOperation, type Operation } from '../operation.js';
import { rotateRoot } from './rotate-root.js';

export function createRotateRootOperation(context: MethodContext): Operation {
  return defineOperation({
    id: 'config.rotate-root',
    summary: 'Replace the access key of the client configuration by a new one that only this service knows',
    verb: 'write',
    scope: 'mount',
    path: 'config/rotate-root',
    access: 'management',
    fields: z.object({}),
    output: z.object({ access_key: z.string() }),
    handle: (request) => rotateRoot(context, request),
  });
}
