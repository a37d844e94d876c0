/** One call of the SDK: a time for all its attempts together, and only ProviderErrors come out. */
import type { Clock } from '@postern/ports';
import { withDeadline } from '../waiting.js';
import { toProviderError } from './sdk-error.js';

export type AskSdk = <T>(what: string, send: (options: { abortSignal: AbortSignal }) => Promise<T>) => Promise<T>;

/** @returns what asks; `known` sees the error as the SDK threw it, to make a value of those that are answers */
export function createAskSdk(clock: Clock, totalTimeoutMs: number): AskSdk {
  return async (what, send) => {
    try {
      return await withDeadline(totalTimeoutMs, undefined, (abortSignal) => send({ abortSignal }));
    } catch (error) {
      throw toProviderError(error, what, clock.now());
    }
  };
}
