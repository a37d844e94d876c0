/** Contract: a signal that fired before the call was sent rejects it with `aborted`, and nothing happens. */
import assert from 'node:assert/strict';
import { isStorageError } from '@postern/ports';
import { allKeys, type ContractDefinition, put, rejects, valuesOf } from './contract-case.js';

export const cancellationCases: readonly ContractDefinition[] = [
  {
    name: 'cancellation: a signal that has fired rejects every call with `aborted` and applies nothing',
    run: async ({ storage }) => {
      const options = { signal: AbortSignal.abort() };
      await rejects(storage.get('a', options), 'aborted');
      await rejects(storage.getMany(['a'], options), 'aborted');
      await rejects(storage.list('', { limit: 1 }, options), 'aborted');
      await rejects(storage.listExpired('', 1, { limit: 1 }, options), 'aborted');
      await rejects(storage.commit([{ type: 'put', key: 'a', value: 'v', if: 'any' }], options), 'aborted');
      assert.deepEqual(await allKeys(storage), []);
    },
  },
  {
    name: 'cancellation: a signal that has not fired, or fires afterwards, changes nothing',
    run: async ({ storage }) => {
      const controller = new AbortController();
      const options = { signal: controller.signal };
      await storage.commit([{ type: 'put', key: 'a', value: 'v', if: 'any' }], options);
      controller.abort();
      assert.equal((await storage.get('a'))?.value, 'v');
    },
  },
  {
    name: 'cancellation: a signal that fires after the call leaves it whole: applied, or `aborted` and not applied',
    run: async ({ storage }) => {
      for (let turn = 0; turn < 20; turn += 1) {
        const controller = new AbortController();
        const keys = [`${turn}/a`, `${turn}/b`];
        const committed = storage.commit(
          keys.map((key) => ({ type: 'put', key, value: 'v', if: 'absent' })),
          { signal: controller.signal },
        );
        if (turn % 2 === 0) await Promise.resolve();
        controller.abort();
        const error: unknown = await committed.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        const values = await valuesOf(storage, keys);
        assert.equal(values[0], values[1]);
        if (error === undefined) assert.deepEqual(values, ['v', 'v']);
        else {
          assert.ok(isStorageError(error));
          assert.ok(error.code === 'aborted' || error.code === 'outcome_unknown');
          if (error.code === 'aborted') assert.deepEqual(values, [undefined, undefined]);
        }
      }
    },
  },
  {
    name: 'cancellation: an aborted commit takes no other with it',
    run: async ({ storage }) => {
      const controller = new AbortController();
      const operation = (key: string) => [{ type: 'put', key, value: 'v', if: 'absent' } as const];
      const outcomes = Promise.allSettled([
        storage.commit(operation('a')),
        storage.commit(operation('b'), { signal: controller.signal }),
        storage.commit(operation('c')),
      ]);
      controller.abort();
      const [first, , third] = await outcomes;
      assert.deepEqual([first.status, third.status], ['fulfilled', 'fulfilled']);
      await put(storage, 'd', 'v');
      assert.deepEqual(await valuesOf(storage, ['a', 'c', 'd']), ['v', 'v', 'v']);
    },
  },
];
