/** Deciding again after a conflict, and giving up in the end. */
import { MAX_ATTEMPTS } from '@postern/kernel';
import { StorageError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { START, V1 } from '../../test/create-test-registry.js';
import { NO_STATUS, type StatusStore } from '../store/status-store.js';
import { applyCommand } from './apply-command.js';

const origin = { actor: 'a', requestId: 'r', time: START };

function storeWith(commit: (asked: number) => Promise<void>): StatusStore & { asked: () => number } {
  let asked = 0;
  const never = () => Promise.reject(new TypeError('not asked for here'));
  return {
    asked: () => asked,
    read: async () => ({ record: NO_STATUS, version: undefined }),
    readHistory: never,
    readMark: never,
    readMany: never,
    readModule: never,
    touch: never,
    commit: () => {
      asked += 1;
      return commit(asked);
    },
  };
}

const present = async () => undefined;
const conflict = () => Promise.reject(new StorageError('conflict', 'changed', { keys: ['k'] }));

describe('a command', () => {
  it.each([1, MAX_ATTEMPTS - 1])('that meets %i conflicts is tried once more', async (conflicts) => {
    const store = storeWith((asked) => (asked <= conflicts ? conflict() : Promise.resolve()));
    const notice = { reason: null, link: null, reasonClass: null, replacement: null, sunsetAt: null };
    const applied = await applyCommand(store, V1, { name: 'deprecate', notice }, origin, present);
    expect(applied.entry?.seq).toBe(1);
    expect(store.asked()).toBe(conflicts + 1);
  });

  it('that meets nothing else is given up, retryable', async () => {
    const store = storeWith(conflict);
    const notice = { reason: null, link: null, reasonClass: null, replacement: null, sunsetAt: null };
    await expect(applyCommand(store, V1, { name: 'deprecate', notice }, origin, present)).rejects.toMatchObject({
      code: 'storage_contended',
      kind: 'unavailable',
      retryAfterSeconds: 1,
    });
    expect(store.asked()).toBe(MAX_ATTEMPTS);
  });

  it('that meets nothing else after a lost answer is not told to have changed nothing', async () => {
    const lost = () => Promise.reject(new StorageError('outcome_unknown', 'no answer'));
    const store = storeWith((asked) => (asked === 1 ? lost() : conflict()));
    const notice = { reason: null, link: null, reasonClass: null, replacement: null, sunsetAt: null };
    await expect(applyCommand(store, V1, { name: 'deprecate', notice }, origin, present)).rejects.toMatchObject({
      code: 'storage_outcome_unknown',
    });
  });

  it('that meets a defect is not tried again', async () => {
    const store = storeWith(() => Promise.reject(new TypeError('ours')));
    const notice = { reason: null, link: null, reasonClass: null, replacement: null, sunsetAt: null };
    await expect(applyCommand(store, V1, { name: 'deprecate', notice }, origin, present)).rejects.toThrow(TypeError);
    expect(store.asked()).toBe(1);
  });
});
