/**
 * Waiting with an end: every question to the provider is answered or given up within its time, and a caller who aborts is
 * let go at once. "Could not find out" is `unavailable`, never a denial (ERROR-5).
 */
import { ProviderError } from '@postern/ports';

/** When the provider does not say when to come again. */
export const RETRY_AFTER_SECONDS = 5;

/** Both forms of giving up look alike to core: no answer, no verdict. */
export function gaveUp(signal: AbortSignal): ProviderError {
  return new ProviderError('unavailable', 'the caller gave up waiting', { cause: signal.reason });
}

/**
 * Runs `work` for at most `milliseconds`. Its signal fires when time is up or the caller aborts; the promise rejects then,
 * whether `work` heeds it or not.
 *
 * @throws ProviderError `unavailable` when time is up or the caller aborted; whatever `work` throws.
 */
export async function withDeadline<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted === true) throw gaveUp(signal);
  const controller = new AbortController();
  let stop: (error: ProviderError) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = (error) => {
      reject(error);
      controller.abort(error);
    };
  });
  const timer = setTimeout(() => {
    const options = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    stop(new ProviderError('unavailable', `no answer within ${milliseconds} ms`, options));
  }, milliseconds);
  const onAbort = (): void => {
    if (signal !== undefined) stop(gaveUp(signal));
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(controller.signal), stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** @throws ProviderError `unavailable` when the signal fires first. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(gaveUp(signal));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
