/** One call of the SDK: a time for all its attempts together, and only ProviderErrors come out. */
import type { Clock } from '@postern/ports';
import { withDeadline } from '../waiting.js';
import { toProviderError } from './sdk-error.js';
import { createThrottle } from './throttle.js';

/** @param place whose calls the cloud counts together, where it is known to throttle: service, region, account */
export type AskSdk = <T>(
  what: string,
  send: (options: { abortSignal: AbortSignal }) => Promise<T>,
  place?: string,
) => Promise<T>;

/** @returns what asks; `known` sees the error as the SDK threw it, to make a value of those that are answers */
export function createAskSdk(clock: Clock, totalTimeoutMs: number, random: () => number = Math.random): AskSdk {
  const throttle = createThrottle(clock, random);
  return async (what, send, place) => {
    const call = async () => {
      try {
        return await withDeadline(totalTimeoutMs, undefined, (abortSignal) => send({ abortSignal }));
      } catch (error) {
        throw toProviderError(error, what, clock.now());
      }
    };
    return place === undefined ? call() : throttle.run(place, call);
  };
}
