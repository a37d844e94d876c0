/** Node 20 collects signals that are waited for; a call must end in time all the same (R-B3). */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { withTimeLimit } from './time-limit.js';

setFlagsFromString('--expose-gc');
// With the flag V8 defines it.
const collectGarbage = runInNewContext('gc') as () => void;

/** Never ends by itself. */
function waitFor(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

describe('a time limit', () => {
  it('ends work that nobody else does, whatever is collected meanwhile', async () => {
    let wasLate = false;
    const collecting = setInterval(collectGarbage, 5);
    try {
      const waiting = withTimeLimit(100, new AbortController().signal, async ({ signal, isLate }) => {
        await waitFor(signal).catch(() => undefined);
        wasLate = isLate();
      });
      await waiting;
    } finally {
      clearInterval(collecting);
    }
    expect(wasLate).toBe(true);
  });

  it.each(['before', 'during'])('ends with the caller who gives up %s it', async (when) => {
    const caller = new AbortController();
    const give = () => caller.abort(new Error('given up'));
    if (when === 'before') give();
    const late: boolean[] = [];
    const waiting = withTimeLimit(60_000, caller.signal, async ({ signal, isLate }) => {
      if (!signal.aborted) {
        setTimeout(give, 10);
        await waitFor(signal).catch(() => undefined);
      }
      late.push(isLate());
      signal.throwIfAborted();
    });
    await expect(waiting).rejects.toThrow('given up');
    expect(late).toEqual([false]);
  });

  it('returns what the work did', async () => {
    expect(await withTimeLimit(1000, undefined, async () => 42)).toBe(42);
  });
});
