import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CodedError, type CodedErrorOptions, hasErrorCode, withoutStack } from './coded-error.js';

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

describe('an error without its stack', () => {
  const framesOf = ({ stack = '' }: Error) => stack.split('\n').filter((line) => /^\s+at /.test(line)).length;

  it('has none, and errors made after it have theirs, also where it could not be made', () => {
    expect(framesOf(withoutStack(() => new ThingError('wrong', 'no')))).toBe(0);
    expect(framesOf(new ThingError('wrong', 'no'))).toBeGreaterThan(0);
    const fail = () => {
      throw new TypeError('not made');
    };
    expect(() => withoutStack(fail)).toThrow('not made');
    expect(framesOf(new ThingError('wrong', 'no'))).toBeGreaterThan(0);
  });

  it('is made, with its stack, where the host lets nobody set the limit', () => {
    const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
    Object.defineProperty(Error, 'stackTraceLimit', { value: 10, writable: false, configurable: true });
    const error = withoutStack(() => new ThingError('wrong', 'no'));
    Object.defineProperty(Error, 'stackTraceLimit', limit ?? { value: 10, writable: true });
    expect(error.message).toBe('no');
    expect(framesOf(error)).toBeGreaterThan(0);
  });
});
