import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CodedError, type CodedErrorOptions, hasErrorCode } from './coded-error.js';

const KINDS = { busy: 'unavailable', wrong: 'invalid' } as const;
type Code = keyof typeof KINDS;

class ThingError extends CodedError<Code, (typeof KINDS)[Code]> {
  override readonly name = 'ThingError';
  readonly pointer = '/reason';

  constructor(code: Code, message: string, options?: CodedErrorOptions) {
    super(code, KINDS[code], message, options);
  }
}

describe('a coded error', () => {
  it('carries code, kind, details and when to retry', () => {
    const error = new ThingError('busy', 'try again', { details: { field: 'a' }, retryAfterSeconds: 2 });
    expect(error).toMatchObject({ code: 'busy', kind: 'unavailable', details: { field: 'a' }, retryAfterSeconds: 2 });
    expect(String(error)).toBe('ThingError: try again');
    expect(new ThingError('wrong', 'no')).toMatchObject({ kind: 'invalid', details: {}, retryAfterSeconds: undefined });
    expect('cause' in new ThingError('wrong', 'no')).toBe(false);
  });

  it('is printed with all its members but the cause', () => {
    const cause = new Error('driver: canary');
    const error = new ThingError('busy', 'try again', { cause, details: { field: 'a' } });
    expect(error.cause).toBe(cause);
    for (const text of [inspect(error), inspect({ error }, { depth: 9 }), JSON.stringify(error)])
      expect(text).not.toContain('canary');
    expect(inspect(error)).toContain('{"code":"busy","details":{"field":"a"},"pointer":"/reason"}');
  });

  it('is recognised by name and code, also one of another copy of the package', () => {
    const foreign = Object.assign(new Error('of another copy'), { name: 'ThingError', code: 'busy' });
    expect(hasErrorCode(new ThingError('busy', ''), 'ThingError', KINDS)).toBe(true);
    expect(hasErrorCode(foreign, 'ThingError', KINDS)).toBe(true);
    for (const other of [
      Object.assign(new Error(''), { name: 'ThingError', code: 'toString' }),
      Object.assign(new Error(''), { name: 'ThingError', code: 1 }),
      Object.assign(new Error(''), { name: 'OtherError', code: 'busy' }),
      Object.assign(new Error(''), { name: 'ThingError' }),
      { name: 'ThingError', code: 'busy' },
      undefined,
    ]) {
      expect(hasErrorCode(other, 'ThingError', KINDS)).toBe(false);
    }
  });
});
