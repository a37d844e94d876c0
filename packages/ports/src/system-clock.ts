/**
 * The clock of the machine: the default wherever a clock is optional. The one file of ports and cores that reads the time and
 * starts a timer, so that a service needs no clock and a test passes its own.
 */
import type { Clock } from './clock.js';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, { signal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', abort, { once: true });
    }),
};
