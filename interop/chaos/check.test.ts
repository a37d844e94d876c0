/** The checks of chaos find what is wrong: each on a made-up history that breaks one promise, beside one that keeps it. */
import { describe, expect, it } from 'vitest';
import { checkAnswers } from './check-answers.js';
import { checkAudit, type NodeAudit, type ToldEvent } from './check-audit.js';
import { checkEntries, checkRegisters } from './check-entries.js';
import { checkTokens } from './check-tokens.js';
import type { Kind, Operation } from './history.js';

/** Each begins when the one before has ended, unless told. */
function history(...calls: (Partial<Operation> & { readonly kind: Kind })[]): readonly Operation[] {
  return calls.map((call, at) => {
    const base = {
      node: 0,
      start: at * 10,
      end: at * 10 + 5,
      outcome: 'done',
      status: 200,
      requestId: `r${at}`,
    } as const;
    return { ...base, ...call };
  });
}

const i = { instance: 'i-1' };
const loginAs = (value: string, rest: Partial<Operation> = {}) => ({ kind: 'login', ...i, value, ...rest }) as const;
const mismatch = { outcome: 'refused', status: 400, code: 'nonce_mismatch' } as const;
const missing = { outcome: 'refused', status: 404, code: 'not_found' } as const;
const unknown = { outcome: 'unknown', status: 0 } as const;

describe('the access list', () => {
  it.each([
    ['one nonce, others refused', [loginAs('a'), loginAs('b', mismatch), loginAs('a'), { kind: 'read_entry', ...i }]],
    ['another nonce after the entry was deleted', [loginAs('a'), { kind: 'delete_entry', ...i }, loginAs('b')]],
    ['a lost answer that counted', [loginAs('a', unknown), loginAs('b', mismatch), loginAs('a')]],
    ['a lost answer that did not count', [loginAs('a', unknown), loginAs('b')]],
    [
      'two at once, one of them first',
      [loginAs('b', { ...mismatch, start: 0, end: 20 }), loginAs('a', { start: 1, end: 30 })],
    ],
    [
      'tidied once it was terminated',
      [loginAs('a'), { kind: 'terminate', ...i }, { kind: 'read_entry', ...i, ...missing }],
    ],
  ] as const)('accepts: %s', (_name, calls) => {
    expect(checkEntries(history(...calls))).toEqual([]);
  });

  it.each([
    ['two nonces admitted', [loginAs('a'), loginAs('b')]],
    ['a refusal for a nonce that nobody holds', [loginAs('a', mismatch), loginAs('a')]],
    ['an acknowledged entry is lost', [loginAs('a'), { kind: 'read_entry', ...i, ...missing }]],
    ['a deleted entry comes back', [loginAs('a'), { kind: 'delete_entry', ...i }, { kind: 'read_entry', ...i }]],
    ['a renewal without an entry', [loginAs('a'), { kind: 'delete_entry', ...i }, { kind: 'renew', ...i }]],
    [
      'a nonce of before, though the answer was lost',
      [loginAs('a', unknown), { kind: 'delete_entry', ...i }, loginAs('b'), loginAs('a')],
    ],
  ] as const)('rejects: %s', (_name, calls) => {
    expect(checkEntries(history(...calls))).toHaveLength(1);
  });
});

describe('tokens', () => {
  const token = { token: 't' };
  const issue = { kind: 'login', ...token, ttlSeconds: 60, start: 0, end: 5 } as const;
  const rejected = { outcome: 'refused', status: 403 } as const;
  const lookupAt = (start: number, rest: Partial<Operation> = {}) =>
    ({ kind: 'lookup', ...token, start, end: start + 5, ...rest }) as const;
  const renewAt = (start: number, rest: Partial<Operation> = {}) =>
    ({ ...lookupAt(start, rest), kind: 'renew', ttlSeconds: 60 }) as const;
  const revokeAt = (start: number, rest: Partial<Operation> = {}) =>
    ({ ...lookupAt(start, rest), kind: 'revoke' }) as const;

  it.each([
    ['valid until its end', [issue, lookupAt(50_000), lookupAt(70_000, rejected)]],
    ['renewed', [issue, renewAt(50_000), lookupAt(100_000), lookupAt(115_000, rejected)]],
    ['revoked', [issue, revokeAt(50), lookupAt(60, rejected)]],
    ['a revocation that nobody knows of', [issue, revokeAt(50, unknown), lookupAt(60, rejected)]],
    ['and that did not count', [issue, revokeAt(50, unknown), lookupAt(60)]],
    ['a revocation under way', [issue, revokeAt(50, { end: 90 }), lookupAt(60)]],
  ] as const)('accepts: %s', (_name, calls) => {
    expect(checkTokens(history(...calls))).toEqual([]);
  });

  it.each([
    ['lost', [issue, lookupAt(50, rejected)]],
    ['lost after a renewal', [issue, renewAt(50_000), lookupAt(100_000, rejected)]],
    [
      'lost after a revocation that was refused',
      [issue, revokeAt(50, { outcome: 'unavailable', status: 503 }), lookupAt(60, rejected)],
    ],
    ['accepted after its revocation', [issue, revokeAt(50), lookupAt(60)]],
    ['accepted after its end', [issue, lookupAt(70_000)]],
    ['accepted after it was rejected', [issue, revokeAt(50, unknown), lookupAt(60, rejected), lookupAt(70)]],
  ] as const)('rejects one: %s', (_name, calls) => {
    expect(checkTokens(history(...calls))).not.toEqual([]);
  });
});

describe('roles and versions', () => {
  const write = (value: string, rest: Partial<Operation> = {}) =>
    ({ kind: 'write', register: 'role web', value, ...rest }) as const;
  const read = (value: string, rest: Partial<Operation> = {}) =>
    ({ kind: 'read', register: 'role web', value, ...rest }) as const;

  it.each([
    ['the last write', [write('1'), read('1'), write('2'), read('2')]],
    ['either, while a write is under way', [write('1'), write('2', { end: 100 }), read('2'), read('2')]],
    ['a write of unknown outcome', [write('1'), write('2', unknown), read('1'), read('2')]],
  ] as const)('accepts: %s', (_name, calls) => {
    expect(checkRegisters(history(...calls))).toEqual([]);
  });

  it.each([
    ['an older value', [write('1'), write('2'), read('1')]],
    ['a value that comes and goes', [write('1'), write('2', unknown), read('2'), read('1')]],
    ['a write that was refused', [write('1'), write('2', { outcome: 'unavailable', status: 503 }), read('2')]],
  ] as const)('rejects: %s', (_name, calls) => {
    expect(checkRegisters(history(...calls))).toHaveLength(1);
  });
});

it('a history of thousands of calls is judged', () => {
  const calls = Array.from(
    { length: 20_000 },
    (_, at) => ({ kind: at % 2 === 0 ? 'write' : 'read', register: 'role web', value: `${at >> 1}` }) as const,
  );
  expect(checkRegisters(history(...calls))).toEqual([]);
  expect(checkRegisters(history(...calls, { kind: 'read', register: 'role web', value: '7' }))).toHaveLength(1);
});

it('answers that are late, or tell of a defect, are found', () => {
  const calls = history(
    { kind: 'lookup', end: 11_001 },
    { kind: 'lookup', status: 500, outcome: 'unknown' },
    { kind: 'lookup' },
  );
  expect(checkAnswers(calls)).toHaveLength(2);
  expect(checkAnswers(calls, () => 500)).toHaveLength(1);
});

describe('the audit logs', () => {
  const event = (id: string, requestId: string, rest: Partial<ToldEvent> = {}): ToldEvent => ({
    id: `session-${id}`,
    time: '2026-11-22T09:00:00.000Z',
    requestId,
    operation: 'login',
    outcome: 'allowed',
    principal: 'i-1',
    accessor: 'a1',
    ...rest,
  });
  const log = (events: readonly ToldEvent[], kills: readonly number[] = [], from = 100): NodeAudit => ({
    events,
    kills,
    writtenAt: events.map((_event, line) => from + line),
  });
  const calls = history({ kind: 'login', ...i }, { kind: 'lookup' });
  const now = Date.parse('2026-11-22T09:01:00.000Z');
  const held = { accessors: ['a1'], instances: ['i-1'], waiting: [], now };
  const nothing = { ...held, accessors: [], instances: [] };

  it.each([
    ['each change once', [log([event('1', 'r0')]), log([])], held],
    [
      'an event that a dead process left, and nobody took over yet',
      [log([event('2', '')], [200])],
      { ...held, waiting: [event('1', 'r0')] },
    ],
    [
      'an event told again five minutes after a death',
      [log([event('1', 'r0')], [200]), log([event('1', 'r0')], [], 300_300)],
      held,
    ],
  ])('accepts: %s', (_name, logs, effects) => {
    expect(checkAudit(calls, logs, effects)).toEqual([]);
  });

  it.each([
    ['a change without an event', [log([])], nothing],
    ['the event of a change says it was denied', [log([event('1', 'r0', { outcome: 'denied' })])], nothing],
    ['only the intent is recorded', [log([event('1', 'r0', { phase: 'intent' })])], nothing],
    ['an event twice in one log', [log([event('1', 'r0'), event('1', 'r0')], [0])], held],
    [
      'an event of a living process in another log',
      [log([event('1', 'r0')]), log([event('1', 'r0')], [], 300_300)],
      held,
    ],
    ['one told again too soon after a death', [log([event('1', 'r0')], [200]), log([event('1', 'r0')], [], 900)], held],
    ['a token that no caller received', [log([event('1', 'r0')])], { ...held, accessors: ['a1', 'a2'] }],
    ['an entry that no caller received', [log([event('1', 'r0')])], { ...held, instances: ['i-1', 'i-2'] }],
    ['events that a living process does not tell', [log([event('2', '')])], { ...held, waiting: [event('1', 'r0')] }],
    [
      'events that nobody takes over',
      [log([event('2', '')], [200])],
      { ...held, waiting: [event('1', 'r0')], now: now + 600_000 },
    ],
  ])('rejects: %s', (_name, logs, effects) => {
    expect(checkAudit(calls, logs, effects).length).toBeGreaterThan(0);
  });
});
