/** A server that shares its rates (WIRE-29): one exchange at a time, one line of log when they begin to fail, a figure that says so. */
import { createMemoryRateLimiter } from '@postern/http';
import { StorageError, systemClock } from '@postern/ports';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMetrics } from '../metrics/metrics.js';
import { startRates } from './rates.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function started() {
  const lines: (readonly [string, string])[] = [];
  const metrics = await createMetrics();
  let answer: () => Promise<readonly []> = async () => [];
  const exchange = vi.fn(() => answer());
  const { rates, stop } = startRates({ rateExchange: { exchange }, metrics }, systemClock, (level, message) =>
    lines.push([level, message]),
  );
  return {
    exchange,
    lines,
    rates,
    stop,
    figure: async () => /^postern_rates_shared (\d)$/m.exec(await metrics.text())?.[1],
    answers: (how: typeof answer) => {
      answer = how;
    },
  };
}

describe('the exchange of rates', () => {
  it('comes once a second, and not while another is under way', async () => {
    const { exchange, answers, stop } = await started();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(exchange).toHaveBeenCalledTimes(4);
    let end: (found: readonly []) => void = () => undefined;
    answers(() => new Promise((resolve) => (end = resolve)));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(exchange).toHaveBeenCalledTimes(5);
    let hasStopped = false;
    const stopping = stop().then(() => (hasStopped = true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(hasStopped).toBe(false);
    end([]);
    await stopping;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(exchange).toHaveBeenCalledTimes(5);
  });

  it('says once that it fails and once that it works again; the limiter goes on', async () => {
    const { answers, lines, figure, rates, stop } = await started();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await figure(), lines]).toEqual(['1', []]);
    answers(async () => {
      throw new StorageError('unavailable', 'the rates were not exchanged');
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await figure()).toBe('0');
    const verdict = await rates.rateLimiter?.take('peer', 1, { perSecond: 1, burst: 1 });
    expect([verdict?.allowed, (await rates.rateLimiter?.take('peer', 1, { perSecond: 1, burst: 1 }))?.allowed]).toEqual(
      [true, false],
    );
    answers(async () => []);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await figure()).toBe('1');
    expect(lines).toEqual([
      ['warning', 'rates are not shared: this server counts for itself until they are'],
      ['info', 'rates are shared with the other servers again'],
    ]);
    await stop();
  });
});

describe('without an exchange', () => {
  it('rates are of this server alone, by the limiter of the host where there is one', async () => {
    const own = createMemoryRateLimiter(systemClock);
    expect(startRates({ rateLimiter: own }, systemClock, () => undefined).rates.rateLimiter).toBe(own);
    const { rates, stop } = startRates({ loginRate: {} }, systemClock, () => undefined);
    expect([rates.loginRate, rates.rateLimiter === undefined]).toEqual([{}, false]);
    await stop();
    const both = { rateLimiter: own, rateExchange: { exchange: async () => [] } };
    expect(() => startRates(both, systemClock, () => undefined)).toThrow('either rateExchange or rateLimiter');
  });
});
