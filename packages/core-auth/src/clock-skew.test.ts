/** One of two nodes has a wrong clock (TIDY-11): it must harm neither tokens nor the access list of the fleet. */
import type { ClockGuard } from '@postern/ports';
import { createManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, START, tokenParameters } from '../test/create-test-method.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A good node, and one on the same storage whose clock is ahead by `skew`. */
function twoNodes(skew: number, known: 'known' | 'unknown' = 'known') {
  const good = createTestMethod();
  const clock = createManualClock(START + skew);
  let measured = 0;
  const skewMs = () => (known === 'known' ? clock.now() - good.clock.now() : undefined);
  const clockGuard: ClockGuard = {
    skewMs,
    measure: async () => {
      measured += 1;
      return skewMs();
    },
  };
  const bad = createTestMethod({ beside: good, ports: () => ({ clock, clockGuard }) });
  return { good, bad, clock, measures: () => measured };
}

async function loggedIn(node: ReturnType<typeof createTestMethod>) {
  await node.putRole({ token: tokenParameters({ ttlSeconds: 3600 }) });
  const instance = node.cloud.launchInstance({ instanceId: 'i-1' });
  const { client_token: token } = await node.login(instance, { nonce: 'N' });
  return { instance, token };
}

describe('O2: a node whose clock is wrong', () => {
  it.each([65 * MINUTE, 26 * HOUR, -65 * MINUTE, -26 * HOUR])(
    'by %d ms sweeps no token, and admits no second nonce',
    async (skew) => {
      const { good, bad } = twoNodes(skew);
      const { instance, token } = await loggedIn(good);
      expect(await codeOf(bad.method.runPeriodicTidy())).toBe('clock_skewed');
      expect(await codeOf(bad.host('tidy.identity-accesslist', {}, { safety_buffer: '0' }))).toBe('clock_skewed');
      expect(await codeOf(bad.login(instance, { nonce: 'another' }))).toBe('clock_skewed');
      // Whether the token has expired it cannot tell: neither a denial nor a pass.
      expect(await codeOf(bad.call('token.lookup-self', { token }))).toBe('clock_skewed');
      expect(await codeOf(good.call('token.lookup-self', { token }))).toBe('allowed');
      expect(await codeOf(good.login(instance, { nonce: 'N' }))).toBe('allowed');
    },
  );

  it('by 31 seconds to 5 minutes serves, and sweeps nothing', async () => {
    for (const skew of [31_000, -31_000, 5 * MINUTE]) {
      const { good, bad } = twoNodes(skew);
      const { instance, token } = await loggedIn(good);
      expect(await codeOf(bad.method.runPeriodicTidy())).toBe('clock_skewed');
      expect(await codeOf(bad.login(instance, { nonce: 'N' }))).toBe('allowed');
      expect(await codeOf(bad.call('token.lookup-self', { token }))).toBe('allowed');
    }
  });

  it('sweeps nothing where the difference is not known', async () => {
    const { good, bad } = twoNodes(0, 'unknown');
    await loggedIn(good);
    expect(await codeOf(bad.method.runPeriodicTidy())).toBe('clock_skewed');
  });

  it('measures before it sweeps, and sweeps once its clock was corrected', async () => {
    const { good, bad, clock, measures } = twoNodes(65 * MINUTE);
    await loggedIn(good);
    expect(await codeOf(bad.method.runPeriodicTidy())).toBe('clock_skewed');
    good.clock.advance(3 * HOUR);
    clock.set(good.clock.now() + 29_000);
    const before = measures();
    await bad.method.runPeriodicTidy();
    expect(measures()).toBeGreaterThan(before);
    expect(await good.tokens()).toEqual([]);
  });
});

describe('a clock that is set in the middle of a call', () => {
  /** A node whose clock jumps when the cloud is asked. */
  function jumping(skew: number) {
    const how = { jumps: false };
    const node = createTestMethod({
      ports: ({ cloud, clock }) => ({
        clockGuard: guardOf(clock),
        cloud: {
          describeInstance(query) {
            if (how.jumps) clock.advance(skew);
            return cloud.describeInstance(query);
          },
        },
      }),
    });
    return { node, how };
  }
  const guardOf = (clock: { now(): number }): ClockGuard => {
    const skewMs = () => clock.now() - START;
    return { skewMs, measure: async () => skewMs() };
  };

  it.each([26 * HOUR, -65 * MINUTE])('by %d ms gives no token, and changes none', async (skew) => {
    const { node, how } = jumping(skew);
    const { instance, token } = await loggedIn(node);
    const before = await node.tokens();
    how.jumps = true;
    expect(await codeOf(node.login(instance, { nonce: 'N' }))).toBe('clock_skewed');
    node.clock.set(START);
    expect(await codeOf(node.call('token.renew-self', { token }))).toBe('clock_skewed');
    expect(await node.tokens()).toEqual(before);
  });

  it('by 26 hours ends no token, at whichever of its readings it jumps', async () => {
    const good = createTestMethod();
    const { token } = await loggedIn(good);
    for (const operation of ['token.lookup-self', 'token.renew-self'] as const) {
      const codes: unknown[] = [];
      for (let until = 0; until < 12; until += 1) {
        let readings = 0;
        const skewMs = () => (readings > until ? 26 * HOUR : 0);
        const now = () => {
          readings += 1;
          return good.clock.now() + skewMs();
        };
        const node = createTestMethod({
          beside: good,
          ports: () => ({ clock: { now }, clockGuard: { skewMs, measure: async () => skewMs() } }),
        });
        codes.push(await codeOf(node.call(operation, { token })));
      }
      expect(new Set(codes)).toEqual(new Set(['clock_skewed', 'allowed']));
    }
  });

  it('removes nothing for its age by a run that began with the right one', async () => {
    const clock = createManualClock(START);
    let untilJump = Number.POSITIVE_INFINITY;
    const node = createTestMethod({
      ports: () => ({
        clock,
        clockGuard: {
          skewMs: () => 0,
          async measure() {
            const skewMs = clock.now() - START;
            untilJump -= 1;
            if (untilJump === 0) clock.advance(26 * HOUR);
            return skewMs;
          },
        },
      }),
    });
    await loggedIn(node);
    // The last of the three sweeps is that of the tokens.
    untilJump = 3;
    await node.method.runPeriodicTidy();
    expect([untilJump, (await node.tokens()).length]).toEqual([0, 1]);
  });
});

it('a token is kept for an hour past its end', async () => {
  const node = createTestMethod();
  await loggedIn(node);
  node.clock.advance(2 * HOUR - 1);
  await node.method.runPeriodicTidy();
  expect(await node.tokens()).toHaveLength(1);
  node.clock.advance(HOUR);
  await node.method.runPeriodicTidy();
  expect(await node.tokens()).toEqual([]);
});

it('a root token works on a node whose clock is wrong: it never expires', async () => {
  const { bad } = twoNodes(26 * HOUR);
  const token = await bad.method.createRootToken();
  expect(await codeOf(bad.call('token.lookup-self', { token }))).toBe('allowed');
});
