/** Deciding again after a conflict, and giving up in the end. */
import { MAX_ATTEMPTS } from '@postern/kernel';
import { type CommitResult, StorageError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { START, V1 } from '../../test/create-test-registry.js';
import { NO_STATUS, type StatusStore } from '../store/status-store.js';
import { applyCommand } from './apply-command.js';

const origin = { actor: 'a', requestId: 'r', time: START };

function storeWith(answer: (asked: number) => Promise<CommitResult>) {
  let asked = 0;
  const never = (): never => {
    throw new TypeError('not asked for here');
  };
  const store: StatusStore = {
    read: async () => ({ record: NO_STATUS, version: undefined }),
    readHistory: never,
    readMark: never,
    readMany: never,
    readModule: never,
    touch: never,
    change: () => [],
  };
  const commit = () => {
    asked += 1;
    return answer(asked);
  };
  return { store, commit, asked: () => asked };
}

const present = async () => undefined;
const done: Promise<CommitResult> = Promise.resolve({ versions: [], positions: [] });
const conflict = () => Promise.reject(new StorageError('conflict', 'changed', { keys: ['k'] }));

describe('a command', () => {
  it.each([1, MAX_ATTEMPTS - 1])('that meets %i conflicts is tried once more', async (conflicts) => {
    const { store, commit, asked } = storeWith((at) => (at <= conflicts ? conflict() : done));
    const notice = { reason: null, link: null, reasonClass: null, replacement: null, sunsetAt: null };
    const applied = await applyCommand(store, V1, { name: 'deprecate', notice }, origin, present, commit);
    expect(applied.entry?.seq).toBe(1);
    expect(asked()).toBe(conflicts + 1);
  });

  it('that meets nothing else is given up, retryable', async () => {
    const { store, commit, asked } = storeWith(conflict);
    const notice = { reason: null, link: null, reasonClass: null, replacement: null, sunsetAt: null };
    await expect(applyCommand(store, V1, { name: 'deprecate', notice }, origin, present, commit)).rejects.toMatchObject(
      {
        code: 'storage_contended',
        kind: 'unavailable',
        retryAfterSeconds: 1,
      },
    );
    expect(asked()).toBe(MAX_ATTEMPTS);
  });

  it('that meets nothing else after a lost answer is not told to have changed nothing', async () => {
    const lost = () => Promise.reject(new StorageError('outcome_unknown', 'no answer'));
    const { store, commit } = storeWith((at) => (at === 1 ? lost() : conflict()));
    const notice = { reason: null, link: null, reasonClass: null, replacement: null, sunsetAt: null };
    await expect(applyCommand(store, V1, { name: 'deprecate', notice }, origin, present, commit)).rejects.toMatchObject(
      {
        code: 'storage_outcome_unknown',
      },
    );
  });

  it('that meets a defect is not tried again', async () => {
    const { store, commit, asked } = storeWith(() => Promise.reject(new TypeError('ours')));
    const notice = { reason: null, link: null, reasonClass: null, replacement: null, sunsetAt: null };
    await expect(applyCommand(store, V1, { name: 'deprecate', notice }, origin, present, commit)).rejects.toThrow(
      TypeError,
    );
    expect(asked()).toBe(1);
  });
});
