/** A storage and a blob store that fail at the n-th call, once or from then on: a fault, or the end of the process. */
import { type BlobStore, ProviderError, type Storage, StorageError } from '@postern/ports';

export type FailureKind =
  /** That call does nothing and says so. */
  | 'unavailable'
  /** That call takes effect, and its answer is lost. Of reads: as `unavailable`. */
  | 'answer_lost'
  /** That call and every later one does nothing: the process was killed before it. */
  | 'killed_before'
  /** That call takes effect, and every later one does nothing: the process was killed after it. */
  | 'killed_after';

export interface FailingPorts {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  /** Calls so far. */
  calls(): number;
}

export function failingPorts(
  inner: { storage: Storage; blobs: BlobStore },
  at: number,
  kind: FailureKind,
): FailingPorts {
  let calls = 0;
  const around = async <T>(ofStorage: boolean, call: () => Promise<T>): Promise<T> => {
    calls += 1;
    const isThis = calls === at;
    const isLater = calls > at && (kind === 'killed_before' || kind === 'killed_after');
    const takesEffect = isThis && (kind === 'answer_lost' || kind === 'killed_after');
    if (takesEffect) await call();
    if (!isThis && !isLater) return call();
    if (!ofStorage) throw new ProviderError('unavailable', 'Injected.');
    throw new StorageError(takesEffect ? 'outcome_unknown' : 'unavailable', 'Injected.');
  };
  const { storage, blobs } = inner;
  return {
    calls: () => calls,
    storage: {
      get: (key, options) => around(true, () => storage.get(key, options)),
      getMany: (keys, options) => around(true, () => storage.getMany(keys, options)),
      list: (prefix, query, options) => around(true, () => storage.list(prefix, query, options)),
      listExpired: (prefix, before, query) => around(true, () => storage.listExpired(prefix, before, query)),
      readLog: (log, query, options) => around(true, () => storage.readLog(log, query, options)),
      removeFromLog: (log, positions, options) => around(true, () => storage.removeFromLog(log, positions, options)),
      commit: (operations, options) => around(true, () => storage.commit(operations, options)),
      close: () => storage.close(),
    },
    blobs: {
      put: (content, limits, options) => around(false, () => blobs.put(content, limits, options)),
      open: (digest, options) => around(false, () => blobs.open(digest, options)),
      delete: (digest, options) => around(false, () => blobs.delete(digest, options)),
      list: (query, options) => around(false, () => blobs.list(query, options)),
    },
  };
}
