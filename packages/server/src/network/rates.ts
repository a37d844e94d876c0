/** The limiter of a server: in memory, or shared with other servers by an exchange about once a second (WIRE-29). */
import {
  createMemoryRateLimiter,
  createSharedRateLimiter,
  type RateOptions,
  type SharedRateLimiter,
} from '@postern/http';
import type { Clock, RateExchange } from '@postern/ports';
import { describeError, type Log } from '../log.js';
import type { Metrics } from '../metrics/metrics.js';
import { repeat } from '../repeat.js';

const EVERY_MS = 1_000;

export interface ServerRates {
  readonly rates: RateOptions;
  /** No more exchanges; waits for one under way. */
  stop(): Promise<void>;
}

interface ServerRateOptions extends RateOptions {
  readonly rateExchange?: RateExchange | undefined;
  readonly metrics?: Pick<Metrics, 'observeRates'> | undefined;
}

/** @throws TypeError where both options say who limits. */
export function startRates(options: ServerRateOptions, clock: Clock, log: Log): ServerRates {
  const { loginRate, peerRate, tokenRate, rateLimiter, rateExchange, metrics } = options;
  const rates = { loginRate, peerRate, tokenRate };
  if (rateExchange === undefined) {
    const limiter = rateLimiter ?? createMemoryRateLimiter(clock);
    return { rates: { ...rates, rateLimiter: limiter }, stop: async () => undefined };
  }
  if (rateLimiter !== undefined) throw new TypeError('rateExchange: set either rateExchange or rateLimiter');
  const limiter = createSharedRateLimiter(clock, rateExchange);
  const { areShared, stop } = startExchangeTimer(limiter, log);
  metrics?.observeRates(areShared);
  return { rates: { ...rates, rateLimiter: limiter }, stop };
}

interface ExchangeTimer {
  /** Whether the last exchange succeeded. */
  areShared(): boolean;
  stop(): Promise<void>;
}

/** Exchanges at once and then again and again. Logs once where exchanges begin to fail, and once where they work again. */
function startExchangeTimer(limiter: Pick<SharedRateLimiter, 'exchange'>, log: Log): ExchangeTimer {
  let isShared: boolean | undefined;

  async function exchange(): Promise<void> {
    try {
      await limiter.exchange();
      if (isShared === false) log('info', 'rates are shared with the other servers again');
      isShared = true;
    } catch (error) {
      if (isShared !== false) {
        log('warning', 'rates are not shared: this server counts for itself until they are', describeError(error));
      }
      isShared = false;
    }
  }

  const exchanges = repeat(exchange, EVERY_MS);
  exchanges.begin();
  return { areShared: () => isShared === true, stop: exchanges.stop };
}
