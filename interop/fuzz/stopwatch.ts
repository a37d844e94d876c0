/** How long single calls take, with the machine's own pauses told apart from slow code. */

export interface Stopwatch {
  /** Runs and times `call`; one over the limit is run once more, and the faster of both counts. */
  time<T>(call: () => Promise<T>): Promise<T>;
  /** Of all calls so far, in milliseconds. */
  readonly slowestMs: number;
}

export function createStopwatch(limitMs: number): Stopwatch {
  let slowestMs = 0;
  const once = async <T>(call: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> => {
    const started = performance.now();
    const result = await call();
    return { result, ms: performance.now() - started };
  };
  return {
    async time(call) {
      let { result, ms } = await once(call);
      if (ms > limitMs) {
        const again = await once(call);
        result = again.result;
        ms = Math.min(ms, again.ms);
      }
      slowestMs = Math.max(slowestMs, ms);
      return result;
    },
    get slowestMs() {
      return slowestMs;
    },
  };
}
