/** Deciding again after a conflict, and giving up in the end. */
import { StorageError } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS, runOptimistic } from './run-optimistic.js';

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

  it('that meets nothing else is given up, retryable', async () => {
    await expect(runOptimistic(conflicting(MAX_ATTEMPTS))).rejects.toMatchObject({
      code: 'storage_contended',
      kind: 'unavailable',
      retryAfterSeconds: 1,
    });
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
