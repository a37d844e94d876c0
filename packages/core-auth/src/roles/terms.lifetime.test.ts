/** TTL arithmetic of TOKEN-2: its table, and that no combination passes a cap. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideLifetime, effectiveMaxTtlSeconds, entryLifetimeSeconds, type LifetimeLimits } from './terms.js';

const HOUR = 3600;
const MINUTE = 60;
const NOW = 1_800_000_000_000;

const limits = (changes: Partial<LifetimeLimits> = {}): LifetimeLimits => ({
  mountDefaultTtlSeconds: HOUR,
  mountMaxTtlSeconds: 48 * HOUR,
  ttlSeconds: 0,
  maxTtlSeconds: 0,
  tagMaxTtlSeconds: 0,
  explicitMaxTtlSeconds: 0,
  periodSeconds: 0,
  ...changes,
});

const at = (changes: Partial<LifetimeLimits>, ageSeconds: number, incrementSeconds?: number) =>
  decideLifetime({ limits: limits(changes), issuedAt: NOW, now: NOW + ageSeconds * 1000, incrementSeconds });

const lasts = (ttlSeconds: number, cut = false) => ({ allow: true, ttlSeconds, cut });
const exhausted = { allow: false, code: 'token_lifetime_exhausted' };

describe('the lifetime at issue', () => {
  it.each<[string, Partial<LifetimeLimits>, object]>([
    ["is the mount's default without more", {}, lasts(HOUR)],
    ["is the role's", { ttlSeconds: 2 * HOUR }, lasts(2 * HOUR)],
    ['is cut by the mount', { maxTtlSeconds: 100 * HOUR, ttlSeconds: 60 * HOUR }, lasts(48 * HOUR, true)],
    ['is cut by the role', { maxTtlSeconds: HOUR, ttlSeconds: 2 * HOUR }, lasts(HOUR, true)],
    ['is cut by the role tag', { tagMaxTtlSeconds: 5 * MINUTE }, lasts(5 * MINUTE, true)],
    ['is the period', { periodSeconds: 30 * MINUTE }, lasts(30 * MINUTE)],
    ['is the period, not the ttl', { periodSeconds: 30 * MINUTE, ttlSeconds: HOUR }, lasts(30 * MINUTE)],
    ['is the period cut by the maximum', { periodSeconds: 72 * HOUR }, lasts(48 * HOUR, true)],
    ['is the period cut by the explicit maximum', { periodSeconds: HOUR, explicitMaxTtlSeconds: 60 }, lasts(60, true)],
    ['is the period within the explicit maximum', { periodSeconds: 1800, explicitMaxTtlSeconds: 2700 }, lasts(1800)],
    ['is cut by the explicit maximum', { explicitMaxTtlSeconds: 5 * MINUTE }, lasts(5 * MINUTE, true)],
  ])('%s', (_name, changes, expected) => {
    expect(at(changes, 0)).toEqual(expected);
  });
});

describe('the lifetime at renewal', () => {
  it.each<[string, Partial<LifetimeLimits>, number, number | undefined, object]>([
    ['starts again from now', {}, 30 * MINUTE, undefined, lasts(HOUR)],
    ['takes the increment', {}, 30 * MINUTE, 600, lasts(600)],
    ['takes a longer increment', {}, 30 * MINUTE, 10 * HOUR, lasts(10 * HOUR)],
    ['ignores a negative increment', {}, 30 * MINUTE, -5, lasts(HOUR)],
    [
      'is cut by what is left of the maximum',
      { maxTtlSeconds: HOUR },
      50 * MINUTE,
      undefined,
      lasts(10 * MINUTE, true),
    ],
    [
      'is cut by what is left of the maximum, increment or not',
      { maxTtlSeconds: HOUR },
      50 * MINUTE,
      HOUR,
      lasts(10 * MINUTE, true),
    ],
    ['is refused when nothing is left', { maxTtlSeconds: HOUR }, HOUR, undefined, exhausted],
    ['is refused when less than a second is left', { maxTtlSeconds: HOUR }, HOUR - 0.5, undefined, exhausted],
    ['of a period goes on past every maximum', { periodSeconds: 1800 }, 1000 * HOUR, undefined, lasts(1800)],
    ['of a period ignores the increment', { periodSeconds: 1800 }, HOUR, 5 * HOUR, lasts(1800)],
    [
      'of a period ends at the explicit maximum',
      { periodSeconds: 1800, explicitMaxTtlSeconds: 2700 },
      1700,
      undefined,
      lasts(1000, true),
    ],
    [
      'of a period is refused past the explicit maximum',
      { periodSeconds: 1800, explicitMaxTtlSeconds: 2700 },
      2700,
      undefined,
      exhausted,
    ],
  ])('%s', (_name, changes, age, increment, expected) => {
    expect(at(changes, age, increment)).toEqual(expected);
  });
});

describe('any lifetime', () => {
  const seconds = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4_000_000_000 }));
  const positive = fc.integer({ min: 1, max: 4_000_000_000 });
  const anyLimits = fc.record({
    mountDefaultTtlSeconds: positive,
    mountMaxTtlSeconds: positive,
    ttlSeconds: seconds,
    maxTtlSeconds: seconds,
    tagMaxTtlSeconds: seconds,
    explicitMaxTtlSeconds: seconds,
    periodSeconds: seconds,
  });

  it('is a positive whole number within every cap, also with a clock set back', () => {
    fc.assert(
      fc.property(
        anyLimits,
        fc.integer({ min: -1_000_000, max: 4_000_000_000_000 }),
        fc.integer({ min: -10, max: Number.MAX_SAFE_INTEGER }),
        (some, age, incrementSeconds) => {
          const decision = decideLifetime({ limits: some, issuedAt: NOW, now: NOW + age, incrementSeconds });
          if (!decision.allow) return;
          const max = effectiveMaxTtlSeconds(some);
          const expiresAt = NOW + age + decision.ttlSeconds * 1000;
          expect(Number.isSafeInteger(decision.ttlSeconds)).toBe(true);
          expect(decision.ttlSeconds).toBeGreaterThanOrEqual(1);
          expect(decision.ttlSeconds).toBeLessThanOrEqual(max);
          if (some.periodSeconds === 0) expect(expiresAt).toBeLessThanOrEqual(NOW + max * 1000);
          if (some.explicitMaxTtlSeconds > 0) {
            expect(expiresAt).toBeLessThanOrEqual(NOW + some.explicitMaxTtlSeconds * 1000);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is never refused at issue', () => {
    fc.assert(
      fc.property(anyLimits, (some) => {
        expect(decideLifetime({ limits: some, issuedAt: NOW, now: NOW }).allow).toBe(true);
      }),
    );
  });

  it('never outlives the access-list entry at issue', () => {
    fc.assert(
      fc.property(anyLimits, (some) => {
        const decision = decideLifetime({ limits: some, issuedAt: NOW, now: NOW });
        expect(decision.allow && decision.ttlSeconds <= entryLifetimeSeconds(some)).toBe(true);
      }),
    );
  });
});
