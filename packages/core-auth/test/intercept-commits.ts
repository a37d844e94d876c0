/** A storage whose calls a test sees first, and may fail or replace. */
import type { CallOptions, CommitResult, Operation, Storage } from '@postern/ports';

/** @param methods called instead of the storage's own; they call `inner` themselves, or not. */
export function withMethods(inner: Storage, methods: Partial<Storage>): Storage {
  return {
    get: (...call) => inner.get(...call),
    getMany: (...call) => inner.getMany(...call),
    list: (...call) => inner.list(...call),
    listExpired: (...call) => inner.listExpired(...call),
    readLog: (...call) => inner.readLog(...call),
    removeFromLog: (...call) => inner.removeFromLog(...call),
    commit: (...call) => inner.commit(...call),
    close: () => inner.close(),
    ...methods,
  };
}

/** @param commit called with what the caller commits; calls `inner.commit` itself, or not. */
export function interceptCommits(
  inner: Storage,
  commit: (operations: readonly Operation[], options?: CallOptions) => Promise<CommitResult>,
): Storage {
  return withMethods(inner, { commit });
}
