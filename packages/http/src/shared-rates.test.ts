/** Hosts that share their rates (WIRE-29): what one let through counts at the others from the next exchange on, and no request waits for it. */
import type { RateExchange, RateTaking, SharedBucket } from '@postern/ports';
import { createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { createBuckets } from './rate.js';
import { createSharedRateLimiter } from './shared-rates.js';

const START = Date.UTC(2026, 10, 21);
const limits = { perSecond: 10, burst: 20 };

/** The exchange as the port has it, in memory. */
function openTown() {
  const clock = createManualClock(START);
  const held = new Map<string, SharedBucket & { readonly at: number }>();
  const told: RateTaking[][] = [];
  let failure: Error | undefined;
  let during: () => Promise<void> = async () => undefined;
  const now = ({ tokens, limits: { perSecond, burst }, at }: SharedBucket & { readonly at: number }) =>
    Math.min(burst, tokens + ((clock.now() - at) / 1000) * perSecond);
  const rates: RateExchange = {
    async exchange(takings) {
      if (failure !== undefined) throw failure;
      told.push([...takings]);
      for (const { key, cost, limits } of takings.filter(({ cost }) => cost !== 0)) {
        const before = held.get(key);
        const tokens = Math.min(limits.burst, (before === undefined ? limits.burst : now(before)) - cost);
        held.set(key, { key, tokens, limits, at: clock.now() });
      }
      const asked = new Set(takings.map(({ key }) => key));
      const found = [...held.values()]
        .map((each) => ({ key: each.key, limits: each.limits, tokens: now(each) }))
        .filter(({ key, tokens, limits }) => asked.has(key) || tokens < limits.burst / 2);
      await during();
      return found;
    },
  };
  const host = () => {
    const limiter = createSharedRateLimiter(clock, rates);
    return {
      ...limiter,
      /** How many of the next `tries` go through. */
      through: async (tries: number, key = 'peer', cost = 1) => {
        let allowed = 0;
        for (let at = 0; at < tries; at += 1) allowed += (await limiter.take(key, cost, limits)).allowed ? 1 : 0;
        return allowed;
      },
    };
  };
  return {
    clock,
    host,
    told,
    fail: (error: Error | undefined) => {
      failure = error;
    },
    during: (what: () => Promise<void>) => {
      during = what;
    },
  };
}

describe('two hosts that share their rates', () => {
  it('refuse a peer on both once one of them refused it, even where it never came before', async () => {
    const { host } = openTown();
    const [a, b] = [host(), host()];
    expect(await a.through(30)).toBe(20);
    await a.exchange();
    await b.exchange();
    expect(await b.through(30)).toBe(0);
    expect(await b.through(30, 'another peer')).toBe(20);
  });

  it('together let through what the rate gives, however the calls are spread', async () => {
    const { host, clock } = openTown();
    const hosts = [host(), host(), host()];
    let through = 0;
    for (let second = 0; second < 60; second += 1) {
      for (const each of hosts) through += await each.through(50);
      for (const each of hosts) await each.exchange();
      clock.advance(1000);
    }
    // 620 for one host; a burst of each before the first exchange.
    expect(through).toBeGreaterThanOrEqual(600);
    expect(through).toBeLessThanOrEqual(620 + 3 * limits.burst);
  });

  it('let a peer in again on both when its bucket has filled', async () => {
    const { host, clock } = openTown();
    const [a, b] = [host(), host()];
    await a.through(20);
    await a.exchange();
    await b.exchange();
    clock.advance(500);
    expect([await a.through(20), await b.through(20)]).toEqual([5, 5]);
    for (const each of [a, b, a]) await each.exchange();
    clock.advance(400);
    // Five more than the rate gave went through together: that is paid back.
    expect([await a.through(20), await b.through(20)]).toEqual([0, 0]);
  });

  it('give back what was returned, in debt too', async () => {
    const { host } = openTown();
    const [a, b] = [host(), host()];
    for (const each of [a, b]) await each.through(20);
    for (const each of [a, b, a, b]) await each.exchange();
    expect([await a.through(1), await b.through(1)]).toEqual([0, 0]);
    await a.through(23, 'peer', -1);
    await a.exchange();
    await b.exchange();
    expect([await a.through(9), await b.through(9)]).toEqual([3, 3]);
  });

  it('never count anew what went through while they exchanged', async () => {
    const { host, during } = openTown();
    const a = host();
    await a.through(10);
    during(async () => expect(await a.through(4)).toBe(4));
    await a.exchange();
    during(async () => undefined);
    expect(await a.through(20)).toBe(6);
  });
});

describe('what is told', () => {
  it('is nothing of peers below a tenth of their rate, and of what was returned', async () => {
    const { host, clock, told } = openTown();
    const a = host();
    clock.advance(1000);
    await a.through(1, 'at the tenth');
    await a.through(2, 'returned');
    await a.through(2, 'returned', -1);
    await a.exchange();
    clock.advance(3000);
    await a.through(2, 'below');
    await a.through(4, 'above');
    await a.exchange();
    await a.exchange();
    expect(told.map((each) => each.map(({ key, cost }) => [key, cost]))).toEqual([
      [['at the tenth', 1]],
      [['above', 4]],
      [],
    ]);
  });

  it('is bounded, those first that took most', async () => {
    const { host, told } = openTown();
    const a = host();
    for (let at = 0; at < 20_000; at += 1) await a.take(`peer ${at}`, at === 9_999 ? 2 : 1, limits);
    await a.exchange();
    expect([told[0]?.length, told[0]?.[0]?.key]).toEqual([1_000, 'peer 9999']);
  });
});

describe('without an exchange', () => {
  it('each host counts for itself, and what was not told is not told later', async () => {
    const { host, fail, told, clock } = openTown();
    const [a, b] = [host(), host()];
    fail(new Error('down'));
    expect([await a.through(30), await b.through(30)]).toEqual([20, 20]);
    await expect(a.exchange()).rejects.toThrow('down');
    await expect(b.exchange()).rejects.toThrow('down');
    clock.advance(60_000);
    expect(await a.through(30)).toBe(20);
    for (const each of [a, b]) await expect(each.exchange()).rejects.toThrow('down');
    fail(undefined);
    await b.through(4);
    await b.exchange();
    await a.through(1);
    await a.exchange();
    expect(told.map((each) => each.map(({ key, cost }) => [key, cost]))).toEqual([[['peer', 4]], [['peer', 0]]]);
    // And nobody gets more because the others know less.
    expect(await a.through(30)).toBe(0);
  });

  it('limits as the limiter in memory does', async () => {
    const clock = createManualClock(START);
    const alone = createBuckets(clock);
    const shared = createSharedRateLimiter(clock, { exchange: async () => [] });
    for (const [cost, waitMs] of [
      [1, 0],
      [25, 10],
      [20, 0],
      [1, 100],
      [-3, 50],
      [2, 5_000],
    ] as const) {
      expect(await shared.take('peer', cost, limits)).toEqual(alone.take('peer', cost, limits));
      clock.advance(waitMs);
    }
    expect(() => createSharedRateLimiter(clock, { exchange: async () => [] }, { maxKeys: 0 })).toThrow(TypeError);
  });
});
