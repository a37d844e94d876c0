/** Storage as this package uses it: typed collections and commits against others, with their failures as `AuthError`. */
import { type Collection, createOptimisticRunner, createCollection as createTypedCollection } from '@postern/kernel';
import type { Storage } from '@postern/ports';
import type * as z from 'zod';
import { AuthError } from '../errors.js';

export { type Collection, type Entry, unchanged } from '@postern/kernel';

/**
 * @param prefix ends with `/`; ids are appended as they are, so an id must not be able to contain a key of a longer prefix.
 * @param schema checks what comes back from storage; a record that does not fit is an AuthError `internal`.
 */
export function createCollection<T>(storage: Storage, prefix: string, schema: z.ZodType<T>): Collection<T> {
  return createTypedCollection(storage, prefix, schema, (key) => {
    return new AuthError('internal', `the stored record ${key} cannot be read`, { reason: 'record_corrupt' });
  });
}

/** Runs an attempt until it commits. @throws AuthError `storage_contended` after too many conflicts in a row. */
export const runOptimistic = createOptimisticRunner(() => {
  return new AuthError('storage_contended', 'too many concurrent changes of the same record; try again', {
    retryAfterSeconds: 1,
  });
});

/** Ids of the records of which there is one. */
export const CLIENT_CONFIG_ID = 'client';
export const IDENTITY_CONFIG_ID = 'identity';
