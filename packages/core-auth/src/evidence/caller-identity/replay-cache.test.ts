/** No signature logs in twice (STS-14, THREAT-24). */
import { createManualClock } from '@postern/testkit';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { refusalOf } from '../../../test/refusal.js';
import { isAuthError } from '../../errors.js';
import { createReplayCache, type ReplayCacheOptions } from './replay-cache.js';

const START = Date.UTC(2026, 10, 21, 9);
const MINUTE = 60_000;
const WINDOW = 20 * MINUTE;

function cacheAt(options: Partial<ReplayCacheOptions> = {}) {
  const clock = createManualClock(START);
  const cache = createReplayCache({ clock, ...options });
  const claim = (signature: string, signedAt = clock.now()) => refusalOf(() => cache.claim({ signature, signedAt }));
  return { clock, cache, claim };
}

describe('the replay cache', () => {
  it('lets each signature in once', async () => {
    const { claim } = cacheAt();
    expect(await claim('a')).toBe('accepted');
    expect(await claim('a')).toBe('request_replayed');
    expect(await claim('b')).toBe('accepted');
  });

  it('lets a signature in again whose login did not succeed', async () => {
    const { cache, claim } = cacheAt();
    cache.claim({ signature: 'a', signedAt: START }).release();
    expect(await claim('a')).toBe('accepted');
  });

  it.each([
    [-WINDOW, 'accepted'],
    [-WINDOW - 1, 'request_expired'],
    [WINDOW, 'accepted'],
    [WINDOW + 1, 'request_from_future'],
  ])('judges a request signed %i ms from now', async (offset, verdict) => {
    expect(await cacheAt().claim('a', START + offset)).toBe(verdict);
  });

  it('never forgets a signature before its window has ended', async () => {
    const offset = fc.integer({ min: -WINDOW, max: WINDOW });
    await fc.assert(
      fc.asyncProperty(offset, fc.nat({ max: 3 * WINDOW }), async (signedAt, later) => {
        const { clock, claim } = cacheAt({ maxSignatures: 1 });
        expect(await claim('a', START + signedAt)).toBe('accepted');
        clock.advance(later);
        expect(await claim('a', START + signedAt)).toBe(
          later - signedAt > WINDOW ? 'request_expired' : 'request_replayed',
        );
      }),
    );
  });

  it('is bounded: a full one refuses for a while rather than forget', async () => {
    const { clock, cache, claim } = cacheAt({ maxSignatures: 3 });
    for (const signature of ['a', 'b', 'c']) expect(await claim(signature)).toBe('accepted');
    const code = () => {
      try {
        cache.claim({ signature: 'd', signedAt: clock.now() });
      } catch (error) {
        return isAuthError(error) ? [error.code, error.kind] : error;
      }
      return 'accepted';
    };
    expect(code()).toEqual(['replay_cache_full', 'unavailable']);
    expect(await claim('a')).toBe('request_replayed');
    clock.advance(WINDOW + 1);
    expect(code()).toBe('accepted');
    expect(await claim('e')).toBe('accepted');
  });

  it('takes its bounds from its options', async () => {
    const { claim } = cacheAt({ maxAgeSeconds: 60, skewSeconds: 0 });
    expect(await claim('a', START - MINUTE)).toBe('accepted');
    expect(await claim('b', START - MINUTE - 1)).toBe('request_expired');
    for (const wrong of [
      { maxAgeSeconds: 0 },
      { skewSeconds: -1 },
      { maxSignatures: 0.5 },
      { maxAgeSeconds: Number.NaN },
    ]) {
      expect(() => cacheAt(wrong)).toThrow(TypeError);
    }
  });

  it('walks through itself once a second at most, however many come while it is full', async () => {
    const { clock, claim } = cacheAt({ maxSignatures: 2 });
    await claim('a');
    await claim('b');
    const walks = vi.spyOn(Map.prototype, Symbol.iterator);
    const claimMany = async () => {
      for (let index = 0; index < 100; index += 1) await claim(`x${index}`).catch(() => undefined);
      return walks.mock.calls.length;
    };
    const first = await claimMany();
    clock.advance(1000);
    const second = await claimMany();
    walks.mockRestore();
    expect([first, second]).toEqual([1, 2]);
  });
});
