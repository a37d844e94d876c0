/** The data keys that secrets in storage are sealed with (STORE-7): shown, rotated, and all secrets sealed again, while serving. */
import { isConflict, isStorageError, type Operation, STORAGE_LIMITS } from '@postern/ports';
import * as z from 'zod';
import type { CallContext, FlowCall } from '../call.js';
import { AuthError } from '../errors.js';
import { described, integerField } from '../fields/fields.js';
import type { MethodContext } from '../method-context.js';
import { defineOperation } from '../operation.js';
import { CLIENT_CONFIG_ID, runOptimistic, type SealedCollection } from '../store/collection.js';
import { pageFields } from '../store/list-page.js';

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
        return { data: { sealing: sealer.isSealing(), keys: await sealer.list(request) } };
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
      fields: z.object({
        after: pageFields.shape.after.meta({ description: 'Go on after this record: `next` of the call before.' }),
        limit: described(integerField, 'Records to look at. Default: all.'),
      }),
      output: z.object({
        rewrapped: z.int().nonnegative(),
        resealed: z.int().nonnegative(),
        examined: z.int().nonnegative(),
        total: z.int().nonnegative().nullable(),
        next: z.string().nullable(),
      }),
      async handle(request) {
        requireSealing(context);
        const { after, limit } = request.fields;
        const place = placeOf(after);
        const commit = commitAfterIntent(context, request);
        const rewrapped = place === FIRST ? await sealer.rewrap(request, commit) : 0;
        const most = limit === undefined || limit < 1 ? Number.POSITIVE_INFINITY : limit;
        const total = place === FIRST && limit !== undefined ? await countAll(context, request) : null;
        const { examined, next, ...done } = await resealFrom(context, place, most, request, commit);
        const resealed = done.resealed + (next === null ? await options.onRewrap() : 0);
        request.annotate({ details: { rewrapped: String(rewrapped), resealed: String(resealed) } });
        return { data: { rewrapped, resealed, examined, total, next } };
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

/** Collections in the order in which they are sealed again, as `next` names them. Roles last: they may be many. */
const FOLDERS = [
  { name: 'config', of: 'clientConfig' },
  { name: 'batch-keys', of: 'batchKeys' },
  { name: 'audit', of: 'auditKeys' },
  { name: 'rotation', of: 'rotations' },
  { name: 'roles', of: 'roles' },
] as const;

/** A record, as `next` names it: `roles/web`. The end of a folder, where the id is empty. */
interface Place {
  readonly folder: number;
  readonly id: string;
}

const FIRST: Place = { folder: 0, id: '' };

/** @throws AuthError `field_invalid` */
function placeOf(after: string | undefined): Place {
  if (after === undefined || after === '') return FIRST;
  const slash = after.indexOf('/');
  const folder = FOLDERS.findIndex(({ name }) => name === after.slice(0, slash));
  if (folder < 0) {
    const expected = 'the member next of an earlier answer';
    throw new AuthError('field_invalid', `after: must be ${expected}`, { details: { field: 'after', expected } });
  }
  return { folder, id: after.slice(slash + 1) };
}

interface Resealed {
  readonly resealed: number;
  readonly examined: number;
  /** Null: that was all. */
  readonly next: string | null;
}

/** Records that calls with a limit will look at, as of now. */
async function countAll({ collections }: MethodContext, call: CallContext): Promise<number> {
  let count = 0;
  for (const { of } of FOLDERS) {
    if (of === 'clientConfig') {
      count += 1;
      continue;
    }
    for (let after: string | undefined; ; ) {
      const page = await collections[of].ids({ after, limit: STORAGE_LIMITS.maxPage }, call);
      count += page.ids.length;
      after = page.next;
      if (after === undefined) break;
    }
  }
  return count;
}

/** What is sealed under the current key is left as it is: a run that broke off is continued by the next. */
async function resealFrom(
  { collections }: MethodContext,
  place: Place,
  most: number,
  call: CallContext,
  commit: Commit,
): Promise<Resealed> {
  let { folder, id } = place;
  let resealed = 0;
  let examined = 0;
  for (;;) {
    const at = FOLDERS[folder];
    if (at === undefined) return { resealed, examined, next: null };
    if (examined >= most) return { resealed, examined, next: `${at.name}/${id}` };
    const collection = collections[at.of];
    const limit = Math.min(STORAGE_LIMITS.maxOperations, most - examined);
    const after = id === '' ? undefined : id;
    // Other records lie beside this one.
    const page =
      at.of === 'clientConfig'
        ? { ids: [CLIENT_CONFIG_ID], next: undefined }
        : await collection.ids({ after, limit }, call);
    resealed += await resealPage(collection, page.ids, call, commit);
    examined += page.ids.length;
    id = page.next ?? '';
    if (page.next === undefined) folder += 1;
  }
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
