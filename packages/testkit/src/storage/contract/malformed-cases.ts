/** Contract: malformed calls are refused with `limit`, by promise and not by throwing, and apply nothing. */
import assert from 'node:assert/strict';
import type { Operation, Storage } from '@postern/ports';
import { allKeys, type ContractDefinition, rejects } from './contract-case.js';

/** Has no UTF-8: an encoder that replaces it would make different keys one. */
const loneSurrogates = ['\uD800', 'a\uDBFF', '\uDC00b', '\uDE00\uD83D', '\uD83D\uD83D\uDE00'];

const refusesText = (name: string, call: (storage: Storage, text: string) => Promise<unknown>): ContractDefinition => ({
  name: `malformed: refuses a lone surrogate in ${name}`,
  run: async ({ storage }) => {
    for (const text of loneSurrogates) await rejects(call(storage, text), 'limit');
    assert.deepEqual(await allKeys(storage), []);
  },
});

const refusesOperations = (name: string, ...commits: readonly (readonly Operation[])[]): ContractDefinition => ({
  name: `malformed: refuses ${name}`,
  run: async ({ storage }) => {
    for (const operations of commits) await rejects(storage.commit(operations), 'limit');
    assert.deepEqual(await allKeys(storage), []);
  },
});

/** What a caller in JavaScript can send; the types forbid it, which is what the cast gets around. */
const untyped = (operation: Readonly<Record<string, unknown>>): Operation => operation as unknown as Operation;

export const malformedCases: readonly ContractDefinition[] = [
  refusesText('a key', (storage, text) => storage.commit([{ type: 'put', key: text, value: 'v', if: 'any' }])),
  refusesText('a value', (storage, text) => storage.commit([{ type: 'put', key: 'k', value: text, if: 'any' }])),
  refusesText('a key that is read', (storage, text) => storage.get(text)),
  refusesText('one of many keys', (storage, text) => storage.getMany(['a', text])),
  refusesText('a prefix', (storage, text) => storage.list(text, { limit: 1 })),
  refusesText('a position', (storage, text) => storage.list('', { after: text, limit: 1 })),
  refusesText('an expired prefix', (storage, text) => storage.listExpired(text, 1, { limit: 1 })),
  refusesText('an expired position', (storage, text) => {
    return storage.listExpired('', 1, { after: { expiresAt: 0, key: text }, limit: 1 });
  }),
  refusesOperations(
    'a key named twice in one commit',
    [
      { type: 'put', key: 'k', value: '1', if: 'any' },
      { type: 'put', key: 'k', value: '2', if: 'any' },
    ],
    [
      { type: 'check', key: 'k', if: 'absent' },
      { type: 'put', key: 'k', value: '1', if: 'any' },
    ],
  ),
  refusesOperations(
    'an expiry that is not a whole number of milliseconds',
    ...[Number.NaN, Number.POSITIVE_INFINITY, 1.5, 2 ** 53].map((expiresAt): readonly Operation[] => {
      return [{ type: 'put', key: 'k', value: 'v', expiresAt, if: 'any' }];
    }),
  ),
  refusesOperations(
    'an operation without a precondition, or of no known kind',
    [untyped({ type: 'put', key: 'k', value: 'v' })],
    [untyped({ type: 'put', key: 'k', value: 'v', if: 'always' })],
    [untyped({ type: 'put', key: 'k', value: 'v', if: { version: 1 } })],
    [untyped({ type: 'patch', key: 'k', value: 'v', if: 'any' })],
    [untyped({ type: 'put', key: 'k', value: 7, if: 'any' })],
    [untyped({ type: 'put', key: 7, value: 'v', if: 'any' })],
  ),
  {
    name: 'malformed: refuses an instant to compare with that is not a whole number of milliseconds',
    run: async ({ storage }) => {
      for (const instant of [Number.NaN, Number.POSITIVE_INFINITY, 0.5]) {
        await rejects(storage.listExpired('', instant, { limit: 1 }), 'limit');
        await rejects(storage.listExpired('', 1, { after: { expiresAt: instant, key: 'k' }, limit: 1 }), 'limit');
      }
    },
  },
];
