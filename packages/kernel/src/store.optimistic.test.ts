/** Deciding again after a conflict, and giving up in the end. */
import { StorageError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { createOptimisticRunner, MAX_ATTEMPTS, resolveUnknownCommit } from './store.js';

const contended = new Error('contended');
const runOptimistic = createOptimisticRunner(() => contended);

/** Fails so many times with a conflict, then answers how often it was asked. */
function conflicting(times: number) {
  let asked = 0;
  return async (): Promise<number> => {
    asked += 1;
    if (asked <= times) throw new StorageError('conflict', 'changed', { keys: ['k'] });
    return asked;
  };
}

describe('an attempt', () => {
  it.each([0, 1, MAX_ATTEMPTS - 1])('that meets %i conflicts is made once more', async (times) => {
    expect(await runOptimistic(conflicting(times))).toBe(times + 1);
  });

  it('that meets nothing else is given up', async () => {
    await expect(runOptimistic(conflicting(MAX_ATTEMPTS))).rejects.toBe(contended);
  });

  it.each([
    ['an unknown outcome', new StorageError('outcome_unknown', 'no answer')],
    ['an unavailable storage', new StorageError('unavailable', 'down')],
    ['a defect', new TypeError('ours')],
  ])('that fails by %s is not made again', async (_name, failure) => {
    let asked = 0;
    const attempt = async () => {
      asked += 1;
      throw failure;
    };
    await expect(runOptimistic(attempt)).rejects.toBe(failure);
    expect(asked).toBe(1);
  });
});

describe('a commit whose answer was lost', () => {
  const unknown = new StorageError('outcome_unknown', 'no answer');
  const lost = () => Promise.reject(unknown);

  it('has the result that a look finds', async () => {
    expect(await resolveUnknownCommit(lost, async () => 'applied')).toBe('applied');
  });

  it.each([
    ['finds nothing', async () => undefined],
    ['fails', () => Promise.reject(new StorageError('unavailable', 'down'))],
  ])('stays unknown where the look %s', async (_name, lookUp) => {
    await expect(resolveUnknownCommit(lost, lookUp)).rejects.toBe(unknown);
  });

  it('is looked after for the codes named, and for no other', async () => {
    const conflict = new StorageError('conflict', 'changed', { keys: ['k'] });
    const refused = () => Promise.reject(conflict);
    const found = async () => 'applied';
    await expect(resolveUnknownCommit(refused, found)).rejects.toBe(conflict);
    expect(await resolveUnknownCommit(refused, found, ['conflict', 'outcome_unknown'])).toBe('applied');
    const defect = new TypeError('ours');
    await expect(resolveUnknownCommit(() => Promise.reject(defect), found)).rejects.toBe(defect);
  });

  it('is not looked after where the answer came', async () => {
    const lookUp = () => Promise.reject(new Error('not asked'));
    expect(await resolveUnknownCommit(async () => 'answered', lookUp)).toBe('answered');
  });
});
