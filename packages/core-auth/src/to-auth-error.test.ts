import { StorageError, type StorageErrorCode } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { AuthError, toAuthError } from './errors.js';

describe('whatever goes wrong', () => {
  it.each<[StorageErrorCode, string]>([
    ['unavailable', 'storage_unavailable'],
    ['closed', 'storage_unavailable'],
    ['outcome_unknown', 'storage_outcome_unknown'],
    ['conflict', 'storage_contended'],
    ['limit', 'body_too_large'],
    ['aborted', 'aborted'],
  ])('in storage as %s leaves as %s', (code, expected) => {
    expect(toAuthError(new StorageError(code, 'inside'), undefined)).toMatchObject({
      code: expected,
      retryAfterSeconds: 1,
    });
  });

  it('leaves an AuthError as it is', () => {
    const error = new AuthError('nonce_mismatch', 'no');
    expect(toAuthError(error, undefined)).toBe(error);
  });

  it('turns anything else into internal, without its text', () => {
    const cause = new TypeError('secret');
    const error = toAuthError(cause, undefined);
    expect(error).toMatchObject({ code: 'internal', kind: 'internal', cause });
    expect(error.message).not.toContain('secret');
  });

  it('is a given-up call where the signal fired', () => {
    expect(toAuthError(new Error('AbortError'), AbortSignal.abort())).toMatchObject({ code: 'aborted' });
  });
});
