/** V4: a flood of made-up tokens writes one line a second a peer, and none of its calls goes uncounted (AUDIT-9). */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditDraft } from './audit/audit-outbox.js';
import { foldRefusals } from './fold-refusals.js';

const START = 1_795_251_600_000;

function open() {
  const told: AuditDraft[] = [];
  const state = { fails: false };
  const sink = foldRefusals({
    record: (event) => {
      if (state.fails) throw new Error('disk full');
      told.push(event);
    },
  });
  const refuse = (at: number, more: Partial<AuditDraft> = {}) =>
    sink.record({
      time: START + at,
      requestId: `request-${at}`,
      operation: 'role.read',
      outcome: 'denied',
      code: 'permission_denied',
      reason: 'token_unknown',
      peerAddress: '192.0.2.1',
      ...more,
    });
  return { told, refuse, state, lines: () => told.map(({ time, details }) => [time - START, details?.['count']]) };
}

describe('refusals of callers who proved nothing', () => {
  it('V4: of one peer are one event a second, which counts the others', async () => {
    const { refuse, lines } = open();
    for (let at = 0; at < 3500; at += 10) await refuse(at);
    expect(lines()).toEqual([
      [0, undefined],
      [1000, '100'],
      [2000, '100'],
      [3000, '100'],
    ]);
  });

  it.each<[string, Partial<AuditDraft>]>([
    ['without a token', { reason: 'token_missing' }],
    ['of the registry', { code: 'unauthorized' }],
    ['of a rate', { code: 'rate_limited', reason: undefined }],
  ])('%s are folded with them', async (_name, more) => {
    const { refuse, told } = open();
    await refuse(0);
    await refuse(1, more);
    expect(told).toHaveLength(1);
  });

  it.each<[string, Partial<AuditDraft>]>([
    ['a known token that lacks the right', { reason: 'policy_does_not_grant' }],
    ['a known token from elsewhere', { reason: 'token_peer_not_allowed' }],
    ['a login that was denied', { operation: 'login', code: 'nonce_mismatch', reason: undefined }],
    ['an allowed call', { outcome: 'allowed', code: undefined, reason: undefined }],
    ['storage that failed', { outcome: 'unavailable', code: 'storage_unavailable', reason: undefined }],
  ])('never hide %s', async (_name, more) => {
    const { refuse, told } = open();
    for (let at = 0; at < 5; at += 1) {
      await refuse(at);
      await refuse(at, more);
    }
    expect(told).toHaveLength(6);
  });

  it('of other peers have their own, an IPv6 /64 being one', async () => {
    const { refuse, told } = open();
    for (const peerAddress of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2', undefined, undefined]) {
      await refuse(0, { peerAddress });
    }
    expect(told.map(({ peerAddress }) => peerAddress)).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1', undefined]);
  });

  it('are told once the flood is over, by the next event of anybody', async () => {
    const { refuse, told } = open();
    for (let at = 0; at < 5; at += 1) await refuse(at);
    await refuse(5000, { peerAddress: '192.0.2.9', outcome: 'allowed', code: undefined, reason: undefined });
    expect(told.map(({ peerAddress, details }) => [peerAddress, details?.['count']])).toEqual([
      ['192.0.2.1', undefined],
      ['192.0.2.1', '4'],
      ['192.0.2.9', undefined],
    ]);
  });

  it('fail where their event is due and cannot be recorded, and are counted later', async () => {
    const { refuse, state, lines } = open();
    await refuse(0);
    await refuse(1);
    state.fails = true;
    await expect(refuse(1500)).rejects.toThrow('disk full');
    state.fails = false;
    await refuse(1600);
    expect(lines()).toEqual([
      [0, undefined],
      [1600, '2'],
    ]);
  });

  it('share one window where there are too many peers', async () => {
    const { refuse, told } = open();
    for (let at = 0; at < 10_050; at += 1) {
      await refuse(0, { peerAddress: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` });
    }
    expect(told.length).toBe(10_001);
  });

  it('are all counted, however they come', async () => {
    const arrivals = fc.array(
      fc.record({ after: fc.integer({ min: 0, max: 900 }), peer: fc.integer({ min: 1, max: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(arrivals, async (calls) => {
        const { refuse, told } = open();
        let now = 0;
        for (const { after, peer } of calls) {
          now += after;
          await refuse(now, { peerAddress: `192.0.2.${peer}` });
        }
        await refuse(now + 2000, { outcome: 'allowed', code: undefined, reason: undefined });
        const folded = told.slice(0, -1);
        expect(folded.reduce((sum, { details }) => sum + Number(details?.['count'] ?? 1), 0)).toBe(calls.length);
        for (const peer of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
          const times = folded.filter(({ peerAddress }) => peerAddress === peer).map(({ time }) => time);
          const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
          expect(Math.min(1000, ...gaps)).toBe(1000);
        }
      }),
    );
  });
});
