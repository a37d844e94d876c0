/** One call for all who ask at once; who gives up leaves at once, and nobody waits for a call that nobody wants. */
import { describe, expect, it } from 'vitest';
import { createSingleFlight } from './single-flight.js';

function pending() {
  let calls = 0;
  let resolve: (value: string) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const signals: AbortSignal[] = [];
  const ask = (signal: AbortSignal) => {
    calls += 1;
    signals.push(signal);
    return new Promise<string>((yes, no) => {
      resolve = yes;
      reject = no;
    });
  };
  return { ask, calls: () => calls, signals, answer: (text: string) => resolve(text), fail: (e: Error) => reject(e) };
}

describe('a shared call', () => {
  it('is made once for those who ask the same at the same time', async () => {
    const shared = createSingleFlight<string>();
    const one = pending();
    const asked = [1, 2, 3].map(() => shared.run('k', one.ask, undefined));
    one.answer('x');
    expect(await Promise.all(asked)).toEqual(['x', 'x', 'x']);
    expect(one.calls()).toBe(1);
    const again = shared.run('k', one.ask, undefined);
    one.answer('y');
    expect(await again).toBe('y');
  });

  it('fails for all of them, and is forgotten', async () => {
    const shared = createSingleFlight<string>();
    const one = pending();
    const asked = [1, 2].map(() => shared.run('k', one.ask, undefined).catch((error: unknown) => error));
    const failure = new Error('down');
    one.fail(failure);
    expect(await Promise.all(asked)).toEqual([failure, failure]);
    const again = shared.run('k', one.ask, undefined);
    one.answer('x');
    expect(await again).toBe('x');
  });

  it('lets one give up while another goes on waiting', async () => {
    const shared = createSingleFlight<string>();
    const one = pending();
    const controller = new AbortController();
    const impatient = shared.run('k', one.ask, controller.signal).catch(() => 'gave up');
    const patient = shared.run('k', one.ask, new AbortController().signal);
    controller.abort();
    expect(await impatient).toBe('gave up');
    expect(one.signals[0]?.aborted).toBe(false);
    one.answer('x');
    expect(await patient).toBe('x');
  });

  it('is given up with the last who waits, and never holds up those to come', async () => {
    const shared = createSingleFlight<string>();
    const hanging = pending();
    const controllers = [new AbortController(), new AbortController()];
    const asked = controllers.map(({ signal }) => shared.run('k', hanging.ask, signal).catch(() => 'gave up'));
    for (const controller of controllers) controller.abort();
    expect(await Promise.all(asked)).toEqual(['gave up', 'gave up']);
    expect(hanging.signals[0]?.aborted).toBe(true);
    const next = pending();
    const after = shared.run('k', next.ask, undefined);
    next.answer('x');
    expect(await after).toBe('x');
  });

  it('is not begun for one who gave up already', async () => {
    const one = pending();
    await expect(createSingleFlight<string>().run('k', one.ask, AbortSignal.abort())).rejects.toThrow();
    expect(one.calls()).toBe(0);
  });
});
