/** The data keys that secrets in storage are sealed with (STORE-7): shown, rotated, and all secrets sealed again, while serving. */
import { isConflict, isStorageError, type Operation, STORAGE_LIMITS } from '@postern/ports';
import * as z from 'zod';
import type { CallContext, FlowCall } from '../call.js';
import { AuthError } from '../errors.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import { CLIENT_CONFIG_ID, runOptimistic, type SealedCollection } from '../store/collection.js';

const ABOUT = { scope: 'mount', access: 'management' } as const;

export function createDataKeyOperations(context: MethodContext) {
  const { sealer, options } = context;
  return [
    defineOperation({
      id: 'data-keys.read',
      summary: 'Show whether secrets in storage are sealed, and the data keys that seal them',
      verb: 'read',
      path: 'data-keys',
      ...ABOUT,
      fields: z.object({}),
      output: z.object({
        sealing: z.boolean(),
        keys: z.array(z.object({ id: z.string(), wrapper: z.string() })),
      }),
      async handle(request) {
        return { data: { sealing: sealer.isSealing(), keys: [...(await sealer.list(request))] } };
      },
    }),
    defineOperation({
      id: 'data-keys.rotate',
      summary: 'Make a new data key, which seals from here on; older ones still open what they sealed',
      verb: 'write',
      path: 'data-keys/rotate',
      ...ABOUT,
      fields: z.object({}),
      output: z.object({ keys: z.int().positive() }),
      async handle(request) {
        requireSealing(context);
        await sealer.rotate(request, request.commit);
        return { data: { keys: (await sealer.list(request)).length } };
      },
    }),
    defineOperation({
      id: 'data-keys.rewrap',
      summary: 'Wrap all data keys with the configured key, and seal every secret under the current data key',
      verb: 'write',
      path: 'data-keys/rewrap',
      ...ABOUT,
      fields: z.object({}),
      output: z.object({ rewrapped: z.int().nonnegative(), resealed: z.int().nonnegative() }),
      async handle(request) {
        requireSealing(context);
        const commit = commitAfterIntent(context, request);
        const rewrapped = await sealer.rewrap(request, commit);
        const resealed = (await resealAll(context, request, commit)) + (await options.onRewrap());
        request.annotate({ details: { rewrapped: String(rewrapped), resealed: String(resealed) } });
        return { data: { rewrapped, resealed } };
      },
    }),
  ];
}

type Commit = (operations: readonly Operation[]) => Promise<unknown>;

/** Many commits: the event of the first says what begins, and that of the call how it ended (AUDIT-6). */
function commitAfterIntent({ ports }: MethodContext, call: FlowCall): Commit {
  let isTold = false;
  return async (operations) => {
    if (isTold) return ports.storage.commit(operations, call);
    const result = await call.commit(operations, { intent: true });
    isTold = true;
    return result;
  };
}

function requireSealing({ sealer }: MethodContext): void {
  if (sealer.isSealing()) return;
  throw new AuthError('sealing_not_configured', 'secrets in storage are not sealed here; configure a key wrapper');
}

/** What is sealed under the current key is left as it is: a run that broke off is continued by the next. */
async function resealAll(context: MethodContext, call: CallContext, commit: Commit): Promise<number> {
  const { roles, clientConfig, batchKeys, auditKeys, rotations } = context.collections;
  let resealed = await resealRecords(clientConfig, [CLIENT_CONFIG_ID], call, commit);
  for (const collection of [roles, batchKeys, auditKeys, rotations]) {
    resealed += await resealRecords(collection, await collection.allIds(call), call, commit);
  }
  return resealed;
}

async function resealRecords(
  collection: Pick<SealedCollection<unknown>, 'reseal'>,
  ids: readonly string[],
  call: CallContext,
  commit: Commit,
): Promise<number> {
  let resealed = 0;
  for (let at = 0; at < ids.length; at += STORAGE_LIMITS.maxOperations) {
    resealed += await resealPage(collection, ids.slice(at, at + STORAGE_LIMITS.maxOperations), call, commit);
  }
  return resealed;
}

/** All in one commit; where one of them was changed meanwhile, or all are too much for one, one by one. */
async function resealPage(
  collection: Pick<SealedCollection<unknown>, 'reseal'>,
  ids: readonly string[],
  call: CallContext,
  commit: Commit,
): Promise<number> {
  const writes: Operation[] = [];
  for (const id of ids) {
    const write = await collection.reseal(id, call);
    if (write !== undefined) writes.push(write);
  }
  if (writes.length === 0) return 0;
  try {
    await commit(writes);
    return writes.length;
  } catch (error) {
    if (!isConflict(error) && !(isStorageError(error) && error.code === 'limit')) throw error;
  }
  let resealed = 0;
  for (const id of ids) {
    resealed += await runOptimistic(async () => {
      const write = await collection.reseal(id, call);
      if (write === undefined) return 0;
      await commit([write]);
      return 1;
    });
  }
  return resealed;
}
