/** What is known after an error: rolled back for certain, never sent, or nobody knows. And what of it may be seen. */
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isNotSent, isRolledBack, mayBeTriedAgain, safeCause } from './failure.js';

const answer = (code: string) =>
  Object.assign(new Error('Key (key)=(secret) exists'), { code, severity: 'ERROR', detail: 'secret', where: 'secret' });
const broken = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('after an error of a commit', () => {
  it.each([
    ['a statement that took too long', answer('57014'), true],
    ['a deadlock', answer('40P01'), true],
    ['a serialization failure', answer('40001'), true],
    ['a lock that was not to be had', answer('55P03'), true],
    ['a full disk', answer('53100'), true],
    ['a standby', answer('25006'), true],
    ['a prepared statement that this session does not know', answer('26000'), true],
    ['what our function raises', answer('P0001'), true],
    ['a missing table', answer('42P01'), true],
    ['an unknown completion', answer('40003'), false],
    ['a server that ends the connection', answer('57P01'), false],
    ['a server that crashed', answer('57P02'), false],
    ['an idle transaction that was ended', answer('25P03'), false],
    ['an internal error', answer('XX000'), false],
    ['an input or output error', answer('58030'), false],
    ['a code of a system that looks like one of PostgreSQL', broken('x', 'EPIPE'), false],
    ['a connection that broke', broken('Connection terminated unexpectedly'), false],
    ['anything', 'text', false],
  ])('%s: known to be rolled back is %s', (_name, error, expected) => {
    expect(isRolledBack(error)).toBe(expected);
  });

  it.each([
    ['40001', true],
    ['40P01', true],
    ['23505', true],
    ['57014', false],
    ['57P01', false],
  ])('%s may be tried again at once: %s', (code, expected) => {
    expect(mayBeTriedAgain(answer(code))).toBe(expected);
  });

  it('a connection that had broken in the pool sent nothing', () => {
    expect(isNotSent(broken('Client has encountered a connection error and is not queryable'))).toBe(true);
    expect(isNotSent(broken('Connection terminated unexpectedly'))).toBe(false);
  });
});

describe('what is passed on', () => {
  it('of an answer is its code alone: its words quote rows', () => {
    const cause = safeCause(answer('23505'));
    expect(cause).toMatchObject({ code: '23505' });
    expect(inspect(cause, { showHidden: true, depth: 9 })).not.toContain('secret');
  });

  it('of a broken connection are its words, without the settings that the driver hangs to it', () => {
    const error = Object.assign(broken('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'), {
      client: { p: 'secret' },
    });
    expect(safeCause(error)).toMatchObject({ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' });
    expect(inspect(safeCause(error), { showHidden: true, depth: 9 })).not.toContain('secret');
    expect(safeCause(broken('')).message).not.toBe('');
  });
});
