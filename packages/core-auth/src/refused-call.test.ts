/** Calls that a transport refused: one event each, in the words of all others (AUDIT-4). */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, START } from '../test/create-test-method.js';

const CALL = { requestId: 'request-9', peerAddress: '192.0.2.9', params: {} };

describe('a refused call', () => {
  it.each([
    ['body_invalid', 'invalid', 'denied'],
    ['body_too_large', 'too_large', 'denied'],
    ['rate_limited', 'denied', 'denied'],
    ['internal', 'internal', 'failed'],
  ] as const)('with %s is an event that ended as %s ends: %s', async (code, kind, outcome) => {
    const { method, events } = createTestMethod();
    await method.recordRefusal({ ...CALL, operation: 'login', refusal: { kind, code } });
    expect(events).toEqual([
      {
        id: expect.any(String),
        time: START,
        requestId: 'request-9',
        operation: 'login',
        outcome,
        code,
        peerAddress: '192.0.2.9',
      },
    ]);
  });

  it('tells names in its path, cut, and what the transport counted', async () => {
    const { method, events } = createTestMethod();
    const params = { role: 'r'.repeat(1000) };
    const refusal = { kind: 'invalid', code: 'body_invalid' } as const;
    await method.recordRefusal({ ...CALL, operation: 'role.write', params, refusal, details: { untold: '7' } });
    expect(events.map(({ details }) => details)).toEqual([{ role: 'r'.repeat(256), untold: '7' }]);
  });

  it('is rejected where its operation is unknown or the audit sink fails', async () => {
    const { method } = createTestMethod({
      audit: () => {
        throw new TypeError('disk full');
      },
    });
    const refusal = { kind: 'invalid', code: 'body_invalid' } as const;
    expect(await codeOf(method.recordRefusal({ ...CALL, operation: 'login', refusal }))).toBe('audit_unavailable');
    expect(await codeOf(method.recordRefusal({ ...CALL, operation: 'nothing', refusal }))).toBe('not_found');
  });
});
