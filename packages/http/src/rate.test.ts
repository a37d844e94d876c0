/** The bucket of each peer: how much it may do at once, how it fills, who shares one, and how many there are. */
import { createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { harness, post } from '../test/fake-method.js';
import { createLoginRateLimit, type LoginRateRefusal } from './rate.js';

const START = Date.UTC(2026, 10, 21);

function limit(rate: Parameters<typeof createLoginRateLimit>[1]) {
  const clock = createManualClock(START);
  return { clock, ...createLoginRateLimit(clock, rate) };
}

/** How many of the next `tries` go through. */
const through = (take: () => LoginRateRefusal | undefined, tries: number) =>
  Array.from({ length: tries }, take).filter((wait) => wait === undefined).length;

describe('a peer', () => {
  it('may try a burst at once and then as many as the rate gives', () => {
    const { clock, take } = limit({ perSecond: 2, burst: 5 });
    expect(through(() => take('192.0.2.1'), 9)).toBe(5);
    clock.advance(1000);
    expect(through(() => take('192.0.2.1'), 9)).toBe(2);
    clock.advance(3_600_000);
    expect(through(() => take('192.0.2.1'), 9)).toBe(5);
  });

  it('is told in whole seconds when to come again', () => {
    const { clock, take } = limit({ perSecond: 0.25, burst: 1 });
    take('192.0.2.1');
    expect(take('192.0.2.1')?.retryAfterSeconds).toBe(4);
    clock.advance(3_000);
    expect(take('192.0.2.1')?.retryAfterSeconds).toBe(1);
  });

  it('is told of once each time it goes too far, with what was passed over before', () => {
    const { clock, take } = limit({ perSecond: 1, burst: 1 });
    const suppressedCount = () => take('192.0.2.1')?.suppressedCount;
    take('192.0.2.1');
    expect([suppressedCount(), suppressedCount(), suppressedCount(), suppressedCount()]).toEqual([
      0,
      undefined,
      undefined,
      undefined,
    ]);
    clock.advance(1000);
    expect(take('192.0.2.1')).toBeUndefined();
    expect([suppressedCount(), suppressedCount()]).toEqual([3, undefined]);
    clock.advance(2000);
    expect(take('192.0.2.1')).toBeUndefined();
    expect(suppressedCount()).toBe(1);
  });

  it('takes by default 200 at once', () => {
    expect(through(() => limit({}).take('192.0.2.1'), 1)).toBe(1);
    const { take } = limit({});
    expect(through(() => take('192.0.2.1'), 300)).toBe(200);
  });

  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['the same address', '192.0.2.1', '192.0.2.1', true],
    ['another', '192.0.2.1', '192.0.2.2', false],
    ['the same, mapped into IPv6', '192.0.2.1', '::ffff:192.0.2.1', true],
    ['another in the same /64', '2001:db8:1:2::1', '2001:DB8:1:2:ffff::9', true],
    ['the same /64 written otherwise', '2001:db8::1', '2001:0db8:0:0:5::', true],
    ['another /64', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['the same with a zone', 'fe80::1%eth0', 'fe80::2%eth1', true],
    ['all whose address is not known', undefined, undefined, true],
    ['the shortest addresses', '::1', '::2', true],
  ])('shares its bucket with %s: %s and %s', (_name, one, other, shared) => {
    const { take } = limit({ perSecond: 1, burst: 1 });
    expect(take(one)).toBeUndefined();
    expect(take(other) !== undefined).toBe(shared);
  });

  it('is forgotten when others came since and the table is full', () => {
    const { take } = limit({ perSecond: 1, burst: 1, maxPeers: 2 });
    take('a');
    take('b');
    expect(take('a')).toBeDefined();
    take('c');
    expect(take('a')).toBeDefined();
    expect(take('b')).toBeUndefined();
  });

  it('gains nothing by a clock that is set back', () => {
    let now = START;
    const { take } = createLoginRateLimit({ now: () => now }, { perSecond: 1, burst: 1 });
    take('a');
    now -= 60_000;
    expect(take('a')).toBeDefined();
  });

  it.each([{ perSecond: 0 }, { perSecond: Number.NaN }, { burst: 0.5 }, { maxPeers: 0 }])('cannot have %j', (rate) => {
    expect(() => limit(rate)).toThrow(TypeError);
  });
});

describe('over HTTP', () => {
  const clock = createManualClock(START);
  const { send, method } = harness(undefined, { loginRate: { perSecond: 1, burst: 2 }, clock });

  it('a login too many is 429 with Retry-After and never reaches the method; nothing else is limited', async () => {
    const login = () => send('/v1/auth/cloud/login', post('{}'));
    expect([(await login()).status, (await login()).status]).toEqual([204, 204]);
    const refused = await login();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toEqual({ errors: ['too many logins'], code: 'rate_limited' });
    expect(method.calls).toHaveLength(2);
    expect((await send('/v1/auth/cloud/role/x', post('{}'))).status).toBe(204);
    clock.advance(1000);
    expect((await login()).status).toBe(204);
  });
});
