/** Whatever goes wrong leaves in our codes. */
import { ProviderError, StorageError, type StorageErrorCode } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { isRegistryError, RegistryError } from './errors.js';
import { toRegistryError } from './to-registry-error.js';

describe('an error', () => {
  it.each<[StorageErrorCode, string]>([
    ['conflict', 'storage_contended'],
    ['unavailable', 'storage_unavailable'],
    ['outcome_unknown', 'storage_outcome_unknown'],
    ['limit', 'internal'],
    ['aborted', 'aborted'],
    ['closed', 'storage_unavailable'],
  ])('of storage, %s, is %s', (code, expected) => {
    expect(toRegistryError(new StorageError(code, 'x'), undefined).code).toBe(expected);
  });

  it('of a provider keeps its word on when to come again', () => {
    const error = toRegistryError(new ProviderError('unavailable', 'x', { retryAfterSeconds: 7 }), undefined);
    expect(error).toMatchObject({ code: 'provider_unavailable', retryAfterSeconds: 7 });
  });

  it('of the registry stays itself, any other is internal, or aborted where the caller left', () => {
    const ours = new RegistryError('not_found', 'x');
    expect(toRegistryError(ours, undefined)).toBe(ours);
    expect(toRegistryError(new TypeError('x'), undefined).code).toBe('internal');
    expect(toRegistryError('text', AbortSignal.abort()).code).toBe('aborted');
  });

  it('is recognised by its shape, from another copy of this package too', () => {
    const foreign = Object.assign(new Error('x'), { name: 'RegistryError', code: 'not_found' });
    expect(isRegistryError(foreign)).toBe(true);
    for (const other of [new Error('x'), { name: 'RegistryError', code: 'not_found' }, undefined]) {
      expect(isRegistryError(other)).toBe(false);
    }
    for (const code of ['toString', 5, undefined]) {
      expect(isRegistryError(Object.assign(new Error('x'), { name: 'RegistryError', code }))).toBe(false);
    }
    expect(isRegistryError(Object.assign(new Error('x'), { name: 'RegistryError' }))).toBe(false);
  });
});
