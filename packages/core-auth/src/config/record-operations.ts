/** Reading, listing, deleting and changing records of configuration: the same for all of them (WIRE-10). */
import type { Operation as StorageOperation } from '@postern/ports';
import * as z from 'zod';
import type { CallContext, FlowCall } from '../call.js';
import { AuthError } from '../errors.js';
import { changedFields } from '../fields/changed-fields.js';
import { keysOutput } from '../fields/fields.js';
import { type AnswerOf, defineOperation, type Shown } from '../operation.js';
import { type AnyCollection, removeRecord, runOptimistic, unchanged } from '../store/collection.js';
import { listKeys, pageFields } from '../store/list-page.js';

type Params = Readonly<Record<string, string>>;

/** What an entry of the catalogue says of itself. */
export interface About<Id extends string, Path extends string> {
  readonly id: Id;
  readonly summary: string;
  readonly path: Path;
  readonly aliases?: readonly string[];
}

/** What an entry says that answers with a record. */
export interface AboutRead<Id extends string, Path extends string, Output extends z.ZodObject> extends About<Id, Path> {
  /** What `RecordKind.toWire` makes. */
  readonly output: Output;
}

type Wire = Readonly<Record<string, unknown>>;

/** Where records of a kind are and how they are shown. */
export interface RecordKind<T, Shape extends Wire = Wire> {
  readonly collection: AnyCollection<T>;
  /** @throws AuthError `not_found` where the path names nothing that could be. */
  readonly idOf: (params: Params) => string;
  /** Wire names, in the shape in which they can be written back (FIELD-7). Never a secret. */
  readonly toWire: (value: T) => Shape;
  /** What else belongs into every commit that deletes such a record. */
  readonly alongside?: readonly StorageOperation[];
}

const MANAGEMENT = { scope: 'mount', access: 'management' } as const;
const noFields = z.object({});

export function readOperation<T, Id extends string, Path extends string, Output extends z.ZodObject>(
  about: AboutRead<Id, Path, Output>,
  kind: RecordKind<T, Shown<Output>>,
) {
  return defineOperation({
    ...about,
    ...MANAGEMENT,
    verb: 'read',
    fields: noFields,
    async handle(request) {
      const entry = await kind.collection.get(kind.idOf(request.params), request);
      if (entry === undefined) throw new AuthError('not_found', 'nothing is stored here');
      const answer: { readonly data: Shown<Output> } = { data: kind.toWire(entry.value) };
      // The answer of an operation with this output and no `auth`, which the compiler does not resolve for any `Output`.
      return answer as AnswerOf<Output>;
    },
  });
}

export function listOperation<T, Id extends string, Path extends string>(
  about: About<Id, Path>,
  { collection }: Pick<RecordKind<T>, 'collection'>,
) {
  return defineOperation({
    ...about,
    ...MANAGEMENT,
    verb: 'list',
    fields: pageFields,
    output: keysOutput,
    handle: (request) => listKeys(collection, request.fields, request),
  });
}

/** @param onDeleted called after each delete, also of what was not there. */
export function deleteOperation<T, Id extends string, Path extends string>(
  about: About<Id, Path>,
  { collection, idOf, alongside = [] }: Pick<RecordKind<T>, 'collection' | 'idOf' | 'alongside'>,
  onDeleted?: () => void,
) {
  return defineOperation({
    ...about,
    ...MANAGEMENT,
    verb: 'delete',
    fields: noFields,
    async handle(request) {
      await removeRecord(collection, idOf(request.params), request, alongside);
      onDeleted?.();
      return {};
    },
  });
}

/** Whether a write would update, for the capability that it needs. */
export function existsIn<T>({ collection, idOf }: Pick<RecordKind<T>, 'collection' | 'idOf'>) {
  return async (params: Params, context: CallContext): Promise<boolean> =>
    (await collection.get(idOf(params), context)) !== undefined;
}

/** What an update needs to know of a kind of records. */
export interface UpdatedKind<T> extends Pick<RecordKind<T>, 'collection' | 'toWire'> {
  /** Fields that no read shows: their texts, by name. */
  readonly secretsOf?: (value: T) => Readonly<Record<string, string>>;
}

/**
 * @param decide from the stored value to the new one; called again after a conflict.
 * @param alongside what else belongs into the commit.
 * @throws AuthError `storage_contended`, and whatever `decide` throws, with nothing stored.
 */
export async function updateRecord<T>(
  { collection, toWire, secretsOf = () => ({}) }: UpdatedKind<T>,
  id: string,
  decide: (stored: T | undefined) => T,
  call: FlowCall,
  alongside: readonly StorageOperation[] = [],
): Promise<void> {
  await runOptimistic(async () => {
    const stored = await collection.get(id, call);
    const next = decide(stored?.value);
    const put = await collection.put(id, next, unchanged(stored), undefined, call);
    const secrets = secretsOf(next);
    const before = stored && secretsOf(stored.value);
    const changed = Object.entries(secrets).map(([name, secret]) => [name, secret !== (before?.[name] ?? '')] as const);
    const changes = changedFields(stored && toWire(stored.value), toWire(next), Object.fromEntries(changed));
    await call.commit([put, ...alongside], { facts: { changes } });
  });
}
