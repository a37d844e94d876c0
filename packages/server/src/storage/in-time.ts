/** A question to the storage that has an end, also where the storage does not heed its signal. */

/** @throws what `ask` throws, or the reason of its signal once the time has passed. */
export async function inTime<T>(timeoutMs: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(timeoutMs);
  const asked = ask(signal);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([asked, late]);
}
