/** The bucket of each peer and caller: how much it may do at once, how it fills, who shares one, and how many there are (WIRE-18). */
import { AuthError } from '@postern/core-auth';
import { createManualClock } from '@postern/testkit';
import { LRUCache } from 'lru-cache';
import { describe, expect, it, vi } from 'vitest';
import { harness, post } from '../test/fake-method.js';
import { openHttpSite } from '../test/http-site.js';
import { createMemoryRateLimiter, createRateGate, type RateOptions } from './rate.js';

const START = Date.UTC(2026, 10, 21);

function gate(options: RateOptions) {
  const clock = createManualClock(START);
  const { takeLogin } = createRateGate(clock, options);
  const isAllowed = async (peer: string | undefined = '192.0.2.1') => (await takeLogin(peer)) === undefined;
  return {
    clock,
    takeLogin,
    isAllowed,
    /** How many of the next `tries` go through. */
    through: async (tries: number) => {
      let allowed = 0;
      for (let at = 0; at < tries; at += 1) allowed += (await isAllowed()) ? 1 : 0;
      return allowed;
    },
  };
}

describe('a peer', () => {
  it('may try a burst at once and then as many as the rate gives', async () => {
    const { clock, through } = gate({ loginRate: { perSecond: 2, burst: 5 } });
    expect(await through(9)).toBe(5);
    clock.advance(1000);
    expect(await through(9)).toBe(2);
    clock.advance(3_600_000);
    expect(await through(9)).toBe(5);
  });

  it('takes by default 200 at once, and without a rate as many as it likes', async () => {
    expect(await gate({ loginRate: {} }).through(300)).toBe(200);
    expect(await gate({ peerRate: {}, tokenRate: {} }).through(300)).toBe(300);
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
  ])('shares its bucket with %s: %s and %s', async (_name, one, other, shared) => {
    const { takeLogin } = gate({ loginRate: { perSecond: 1, burst: 1 } });
    expect(await takeLogin(one)).toBeUndefined();
    expect((await takeLogin(other)) !== undefined).toBe(shared);
  });

  it('is answered at once where the limiter does not wait, and waits where it does', async () => {
    const clock = createManualClock(START);
    const loginRate = { perSecond: 1, burst: 2 };
    const { takeLogin, takeProof, returnProof } = createRateGate(clock, { loginRate });
    expect(takeLogin('192.0.2.1')).toBeUndefined();
    expect(takeProof('192.0.2.1')).toBeUndefined();
    expect(takeProof('192.0.2.1')).toMatchObject({ allowed: false });
    expect(returnProof('192.0.2.1')).not.toBeInstanceOf(Promise);
    expect(takeProof('192.0.2.1')).toBeUndefined();
    const { take } = createMemoryRateLimiter(clock);
    const waiting = createRateGate(clock, { loginRate, rateLimiter: { take: async (...given) => take(...given) } });
    const verdicts = [1, 2, 3].map(() => waiting.takeLogin('192.0.2.1'));
    expect(verdicts[0]).toBeInstanceOf(Promise);
    expect(await Promise.all(verdicts)).toMatchObject([undefined, undefined, { allowed: false }]);
    expect(await waiting.takeProof('192.0.2.1')).toBeUndefined();
    expect(await waiting.takeProof('192.0.2.1')).toMatchObject({ allowed: false });
  });

  it.each([{ perSecond: 0 }, { perSecond: Number.NaN }, { burst: 0.5 }])('cannot have %j', (rate) => {
    expect(() => gate({ loginRate: rate })).toThrow('loginRate.');
    expect(() => gate({ peerRate: rate })).toThrow('peerRate.');
    expect(() => gate({ tokenRate: rate })).toThrow('tokenRate.');
  });
});

describe('the limiter in memory', () => {
  const limits = { perSecond: 1, burst: 1 };

  it('forgets the keys that asked longest ago when its table is full', async () => {
    const limiter = createMemoryRateLimiter(createManualClock(START), { maxKeys: 2 });
    const isAllowed = async (key: string) => (await limiter.take(key, 1, limits)).allowed;
    expect([await isAllowed('a'), await isAllowed('b'), await isAllowed('a'), await isAllowed('c')]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect([await isAllowed('a'), await isAllowed('b')]).toEqual([false, true]);
    expect(() => createMemoryRateLimiter(createManualClock(START), { maxKeys: 0 })).toThrow(TypeError);
  });

  it('keeps nothing of callers whose buckets are full again', async () => {
    const dropped = vi.spyOn(LRUCache.prototype, 'delete');
    try {
      const clock = createManualClock(START);
      const limiter = createMemoryRateLimiter(clock);
      for (let caller = 0; caller < 1_000; caller += 1) {
        await limiter.take(`caller ${caller}`, 1, { perSecond: 50, burst: 200 });
        clock.advance(1);
      }
      // A token comes back in 20 ms: as many callers are still counted.
      expect(dropped).toHaveBeenCalledTimes(1_000 - 20);
    } finally {
      dropped.mockRestore();
    }
  });

  it('gives nothing for a clock that is set back', async () => {
    let now = START;
    const limiter = createMemoryRateLimiter({ now: () => now });
    await limiter.take('a', 1, limits);
    now -= 60_000;
    expect((await limiter.take('a', 1, limits)).allowed).toBe(false);
  });

  it('takes back what was not used, never beyond the burst', async () => {
    const limiter = createMemoryRateLimiter(createManualClock(START));
    await limiter.take('a', 1, limits);
    await limiter.take('a', -1, limits);
    await limiter.take('a', -1, limits);
    expect(await limiter.take('a', 1, limits)).toEqual({ allowed: true, remaining: 0, resetSeconds: 1 });
  });
});

describe('over HTTP', () => {
  it('a login too many is 429 with Retry-After and never reaches the method; nothing else is limited', async () => {
    const clock = createManualClock(START);
    const { send, method } = harness(undefined, { loginRate: { perSecond: 0.25, burst: 2 }, clock });
    const login = () => send('/v1/auth/cloud/login', post('{}'));
    expect([(await login()).status, (await login()).status]).toEqual([204, 204]);
    const refused = await login();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('4');
    expect(await refused.json()).toEqual({ errors: ['too many requests'], code: 'rate_limited' });
    expect(method.calls).toHaveLength(2);
    expect((await send('/v1/auth/cloud/role/x', post('{}'))).status).toBe(204);
    clock.advance(4000);
    expect((await login()).status).toBe(204);
  });

  it('W7: logins whose proof was rejected are limited to a fifth, and those under way count until they end', async () => {
    const clock = createManualClock(START);
    let rejections = 4;
    const answer = () => {
      rejections -= 1;
      if (rejections >= 0) throw new AuthError('caller_identity_refused', 'STS rejected the request');
      return {};
    };
    const { send, method } = harness(answer, { loginRate: { perSecond: 10, burst: 8 }, clock });
    const login = async () => (await send('/v1/auth/cloud/login', post('{}'))).status;
    expect([await login(), await login(), await login(), await login(), await login()]).toEqual([
      400, 400, 400, 400, 429,
    ]);
    expect(method.calls).toHaveLength(4);
    clock.advance(500);
    expect([await login(), await login(), await login()]).toEqual([204, 204, 204]);
  });

  it('V4: made-up tokens are limited by peer on every path, with one event a second', async () => {
    const site = await openHttpSite('neutral', { peerRate: { perSecond: 10, burst: 10 } });
    site.audited.length = 0;
    const statuses = new Map<number, number>();
    for (let at = 0; at < 60; at += 1) {
      const token = at % 3 === 0 ? '' : `pst_${String(at).padStart(40, '0')}`;
      const paths = [site.mount('role/x'), 'auth/token/lookup-self', 'sys/nothing', site.mount('nothing')] as const;
      const { status } = await site.send('GET', paths[at % 4] ?? '', { token });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      site.clock.advance(50);
    }
    expect(statuses.get(429)).toBeGreaterThan(15);
    expect(site.audited.length).toBeLessThanOrEqual(4);
    expect(site.audited.at(-1)?.details).toMatchObject({ count: expect.stringMatching(/^\d+$/) });
  });

  it('V4: a caller whose token is accepted is limited by token alone, however many strangers share its address', async () => {
    const rates = { peerRate: { perSecond: 1, burst: 2 }, tokenRate: { perSecond: 1, burst: 4 } };
    const site = await openHttpSite('neutral', rates);
    const lookUp = async (token: string) => (await site.send('GET', 'auth/token/lookup-self', { token })).status;
    expect(await lookUp(site.root)).toBe(200);
    const strangers = [await lookUp('pst_a'), await lookUp('pst_b'), await lookUp('pst_c')];
    expect(strangers).toEqual([403, 403, 429]);
    expect([await lookUp(site.root), await lookUp(site.root), await lookUp(site.root)]).toEqual([200, 200, 200]);
    expect(await lookUp(site.root)).toBe(429);
    await site.send('POST', 'auth/token/revoke-self', {});
    site.clock.advance(1000);
    expect([await lookUp(site.root), await lookUp('pst_d')]).toEqual([200, 403]);
  });

  it('a made-up token is not taken for a known one by a refusal that comes before its check', async () => {
    const site = await openHttpSite('neutral', { peerRate: { perSecond: 1, burst: 2 }, tokenRate: {} });
    const statuses: number[] = [];
    for (let at = 0; at < 4; at += 1) {
      const path = site.mount(`role/${'x'.repeat(300)}`);
      statuses.push((await site.send('GET', path, { token: 'pst_a' })).status);
    }
    expect(statuses).toEqual([404, 404, 429, 429]);
  });

  it('health and the document have a count of their own', async () => {
    const clock = createManualClock(START);
    const { app } = harness(undefined, { peerRate: { perSecond: 1, burst: 3 }, clock });
    const get = async (path: string) => (await app.fetch(new Request(`http://postern.test${path}`), undefined)).status;
    const strangers: number[] = [];
    for (let at = 0; at < 4; at += 1) strangers.push(await get('/v1/auth/cloud/nothing'));
    expect(strangers).toEqual([404, 404, 404, 429]);
    const open: number[] = [];
    for (let at = 0; at < 4; at += 1) open.push(await get(at % 2 === 0 ? '/v1/sys/health' : '/v1/sys/openapi.json'));
    expect(open).toEqual([200, 200, 200, 429]);
  });

  it('W9: the document is rendered once', async () => {
    const { app } = harness();
    const read = async () =>
      (await app.fetch(new Request('http://postern.test/v1/sys/openapi.json'), undefined)).text();
    const first = await read();
    const stringify = vi.spyOn(JSON, 'stringify');
    expect(await read()).toBe(first);
    expect(stringify).not.toHaveBeenCalled();
    stringify.mockRestore();
  });

  it('a limiter of the host gets keys without tokens in them', async () => {
    const clock = createManualClock(START);
    const keys: string[] = [];
    const memory = createMemoryRateLimiter(clock);
    const rateLimiter = {
      take: async (...[key, cost, limits]: Parameters<typeof memory.take>) => {
        keys.push(key);
        return memory.take(key, cost, limits);
      },
    };
    const { app } = harness(undefined, { loginRate: {}, peerRate: {}, tokenRate: {}, rateLimiter, clock });
    const token = { 'x-service-token': 'secret-token' };
    for (const [path, init] of [
      ['auth/cloud/login', { method: 'POST' }],
      ['auth/cloud/role/x', { method: 'POST', headers: token }],
      ['auth/cloud/role/x', { headers: token }],
      ['sys/health', {}],
    ] as const) {
      await app.fetch(new Request(`http://postern.test/v1/${path}`, init), undefined);
    }
    const key = expect.stringMatching(/^auth-token [\da-f]{32}$/);
    const peer = 'auth-peer 192.0.2.7';
    const login = ['login 192.0.2.7', 'proof 192.0.2.7', 'proof 192.0.2.7'];
    expect(keys).toEqual([...login, peer, peer, key, key, 'open 192.0.2.7']);
  });
});
