/** The error's own shape, and what of a foreign one is told. */
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { isPosternClientError, PosternClientError, systemCode } from './client-error.js';
import { conceal, unprinted } from './concealed.js';

it('is recognised by its shape', () => {
  const error = new PosternClientError('denied', 'nonce_mismatch', 'no', { status: 400, requestId: 'r-1' });
  expect(isPosternClientError(error)).toBe(true);
  expect(
    isPosternClientError(Object.assign(new Error('no'), { name: 'PosternClientError', kind: 'x', code: 'y' })),
  ).toBe(true);
  for (const other of [
    new Error('no'),
    { ...error, name: 'PosternClientError' },
    Object.assign(new Error('no'), { name: 'PosternClientError' }),
    Object.assign(new Error('no'), { name: 'PosternClientError', code: 'y' }),
    undefined,
  ]) {
    expect(isPosternClientError(other)).toBe(false);
  }
});

it('tells of the system its code alone, wherever it stands', () => {
  const refused = Object.assign(new Error('canary'), { code: 'ECONNREFUSED' });
  expect(systemCode(refused)).toBe('ECONNREFUSED');
  expect(systemCode(new TypeError('fetch failed', { cause: refused }))).toBe('ECONNREFUSED');
  expect(systemCode(Object.assign(new Error('no'), { code: 'canary secret' }))).toBeUndefined();
  expect(systemCode(Object.assign(new Error('no'), { code: 7 }))).toBeUndefined();
  expect(systemCode('ECONNREFUSED')).toBeUndefined();
  const round = new Error('no');
  round.cause = round;
  expect(systemCode(round)).toBeUndefined();
});

it('a concealed value has its secrets by name only', () => {
  const value = conceal({ shown: 1 }, { secret: 'canary', none: undefined });
  expect([value.secret, 'none' in value]).toEqual(['canary', false]);
  expect(inspect([value], { showHidden: true, depth: 5 })).toBe("[ { shown: 1, secret: '[hidden]' }, [length]: 1 ]");
  expect(JSON.stringify({ ...value })).toBe('{"shown":1}');
  expect(() => Object.assign(value, { secret: 'other' })).toThrow(TypeError);
});

it('an unprinted value is sent whole', () => {
  const fields = unprinted({ proof: 'canary' });
  expect(JSON.stringify({ ...fields })).toBe('{"proof":"canary"}');
  expect(inspect(fields, { showHidden: true })).toBe("{ proof: '[hidden]' }");
});
