/** Storage as this package uses it: typed collections and commits against others, with their failures as `AuthError`. */
import {
  type Collection,
  createOptimisticRunner,
  createCollection as createTypedCollection,
  createSealedCollection as createTypedSealedCollection,
  NEWER_RECORD_REMEDY,
  type SealedCollection,
  type Sealer,
  type UnreadableRecord,
  type WriteFormat,
} from '@postern/kernel';
import type { Operation, Storage } from '@postern/ports';
import type * as z from 'zod';
import type { FlowCall } from '../call.js';
import { AuthError } from '../errors.js';

export { type Collection, type Entry, type SealedCollection, unchanged } from '@postern/kernel';

/** Of either kind, for what writes both. */
export type AnyCollection<T> = Collection<T> | SealedCollection<T>;

/** Where the method keeps its records, and in which format: a part of `MethodContext`. */
export interface RecordStore {
  readonly ports: { readonly storage: Storage };
  readonly options: { readonly storagePrefix: string; readonly recordFormat: WriteFormat };
  readonly sealer: Sealer;
}

/**
 * @param folder of the keys, ends with `/`; ids are appended as they are, so an id must not be able to contain a key of a
 *   longer prefix.
 * @param schema checks what comes back from storage: strict. A record that does not fit is an AuthError `internal`, one of
 *   a newer version `record_newer`.
 */
export function createCollection<T extends object>(
  { ports, options }: RecordStore,
  folder: string,
  schema: z.ZodType<T>,
): Collection<T> {
  return createTypedCollection(
    ports.storage,
    options.storagePrefix + folder,
    schema,
    unreadableRecord,
    options.recordFormat,
  );
}

/**
 * As `createCollection`, for records with secrets (STORE-4).
 *
 * @param secrets members that hold them: `secretKey`, or `keys.*.key` for a member of each element of a list.
 */
export function createSealedCollection<T extends object>(
  { ports, options, sealer }: RecordStore,
  folder: string,
  schema: z.ZodType<T>,
  secrets: readonly string[],
): SealedCollection<T> {
  return createTypedSealedCollection({
    storage: ports.storage,
    prefix: options.storagePrefix + folder,
    schema,
    secrets,
    sealer,
    onUnreadable: unreadableRecord,
    format: options.recordFormat,
  });
}

export function unreadableRecord(key: string, why: UnreadableRecord): AuthError {
  if (why === 'newer') return new AuthError('record_newer', `the stored record ${key} ${NEWER_RECORD_REMEDY}`);
  return new AuthError('internal', `the stored record ${key} cannot be read`, { reason: 'record_corrupt' });
}

/** Runs an attempt until it commits. @throws AuthError `storage_contended` after too many conflicts in a row. */
export const runOptimistic = createOptimisticRunner(() => {
  return new AuthError('storage_contended', 'too many concurrent changes of the same record; try again', {
    retryAfterSeconds: 1,
  });
});

/**
 * Deletes a record as it was read, and whatever belongs into the same commit. A record that does not exist is no failure.
 *
 * @throws AuthError `storage_contended`
 */
export function removeRecord<T>(
  collection: AnyCollection<T>,
  id: string,
  call: FlowCall,
  alongside: readonly Operation[] = [],
): Promise<unknown> {
  return runOptimistic(async () => call.commit([await collection.removal(id, call), ...alongside]));
}

/** Ids of the records of which there is one. */
export const CLIENT_CONFIG_ID = 'client';
export const IDENTITY_CONFIG_ID = 'identity';
