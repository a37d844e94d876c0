/** When a token is renewed, and how long to wait after failures. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Login } from '../login/login.js';
import { backoffMs, isLive, leaseOf } from './lease.js';

const loginOf = (ttlSeconds: number, renewable = true): Login => ({
  token: 's.x',
  accessor: 'a',
  policies: [],
  ttlSeconds,
  renewable,
  metadata: {},
  entityId: '',
});

describe('a lease', () => {
  it.each([
    [0, 616_666],
    [0.5, 666_666],
    [1, 716_666],
  ])('of 1,000 s is acted upon after about two thirds (%s: %s ms)', (random, afterMs) => {
    expect(leaseOf(loginOf(1_000), 5_000, random)).toMatchObject({
      actAt: 5_000 + afterMs,
      expiresAt: 1_005_000,
      next: 'renew',
    });
  });

  it('without end is left alone', () => {
    const lease = leaseOf(loginOf(0), 0, 0.5);
    expect(lease).toMatchObject({ actAt: undefined, expiresAt: undefined });
    expect(isLive(lease, Number.MAX_SAFE_INTEGER)).toBe(true);
  });

  it('that cannot be renewed is followed by a login', () => {
    expect(leaseOf(loginOf(60, false), 0, 0.5).next).toBe('login');
  });

  it.each([
    [60, 'renew'],
    [30, 'renew'],
    [29, 'login'],
    [120, 'renew'],
  ])('of 60 s that was renewed to %s is followed by: %s', (ttlSeconds, next) => {
    const first = leaseOf(loginOf(60), 0, 0.5);
    const second = leaseOf(loginOf(ttlSeconds), 40_000, 0.5, first);
    expect([second.next, second.fullTtlSeconds]).toEqual([next, 60]);
  });

  it('is live until its end, and not at it', () => {
    const lease = leaseOf(loginOf(60), 1_000, 0.5);
    expect([isLive(lease, 60_999), isLive(lease, 61_000)]).toEqual([true, false]);
  });

  it('is always acted upon in its life', () => {
    const numbers = fc.record({
      ttlSeconds: fc.integer({ min: 1, max: 10 ** 9 }),
      askedAt: fc.nat({ max: 2 ** 42 }),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(numbers, ({ ttlSeconds, askedAt, random }) => {
        const { actAt = 0, expiresAt = 0 } = leaseOf(loginOf(ttlSeconds), askedAt, random);
        return actAt > askedAt + ttlSeconds * 500 && actAt < expiresAt - ttlSeconds * 200;
      }),
    );
  });
});

describe('after failures', () => {
  it.each([
    [1, 500, 1_000, 8_000],
    [2, 1_000, 2_000, 16_000],
    [3, 2_000, 4_000, 32_000],
    [6, 16_000, 32_000, 60_000],
    [7, 30_000, 60_000, 60_000],
    [4_000, 30_000, 60_000, 60_000],
  ])('%s in a row, the next try waits %s to %s ms, after refusals up to %s', (failures, least, most, refused) => {
    expect(backoffMs(failures, 'unavailable', undefined, 0)).toBe(least);
    expect(backoffMs(failures, 'unavailable', undefined, 1)).toBe(most);
    expect(backoffMs(failures, 'refused', undefined, 0)).toBe(refused / 2);
    expect(backoffMs(failures, 'refused', undefined, 1)).toBe(refused);
  });

  it('the next try is not before the server wants it', () => {
    expect(backoffMs(1, 'unavailable', 90, 0)).toBe(90_000);
    expect(backoffMs(1, 'unavailable', 0, 0)).toBe(500);
  });
});
