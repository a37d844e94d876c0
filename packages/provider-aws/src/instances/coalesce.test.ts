import { describe, expect, it, vi } from 'vitest';
import { createCoalescer } from './coalesce.js';

/** Calls that end when the test says so. */
function openCoalescer(maxBatch = 100) {
  const calls: { readonly ids: readonly string[]; end(error?: Error): void }[] = [];
  const ask = createCoalescer<string>(
    { waitMs: 2, maxBatch },
    (ids) =>
      new Promise((resolve, reject) => {
        const answer = new Map(ids.map((id) => [id, `about ${id}`]));
        calls.push({ ids, end: (error) => (error === undefined ? resolve(answer) : reject(error)) });
      }),
  );
  return { ask, calls, sent: () => calls.map(({ ids }) => ids) };
}

/** All that is settled without a timer or another turn of the event loop. */
const microtasks = async () => {
  for (let count = 0; count < 20; count += 1) await Promise.resolve();
};

describe('a question for an instance', () => {
  it('is sent at once, without a timer or a turn, when no call is under way', async () => {
    vi.useFakeTimers();
    const { ask, calls, sent } = openCoalescer();
    const answer = ask('a');
    await microtasks();
    expect(sent()).toEqual([['a']]);
    expect(vi.getTimerCount()).toBe(0);
    calls[0]?.end();
    expect(await answer).toBe('about a');
    void ask('b');
    await microtasks();
    expect(sent()).toEqual([['a'], ['b']]);
    vi.useRealTimers();
  });

  it('travels with those of the same turn', async () => {
    const { ask, sent } = openCoalescer();
    for (const id of ['a', 'b', 'a']) void ask(id);
    await microtasks();
    expect(sent()).toEqual([['a', 'b']]);
  });

  it('waits while a call is under way, and no longer than that call', async () => {
    vi.useFakeTimers();
    const { ask, calls, sent } = openCoalescer();
    void ask('a');
    await microtasks();
    void ask('b');
    await microtasks();
    void ask('c');
    await microtasks();
    expect(sent()).toEqual([['a']]);
    calls[0]?.end();
    await microtasks();
    expect(sent()).toEqual([['a'], ['b', 'c']]);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('does not wait for a slow call', async () => {
    vi.useFakeTimers();
    const { ask, sent } = openCoalescer();
    void ask('a');
    await microtasks();
    void ask('b');
    await vi.advanceTimersByTimeAsync(1);
    expect(sent()).toEqual([['a']]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent()).toEqual([['a'], ['b']]);
    vi.useRealTimers();
  });

  it('is sent when the batch is full, beside a call under way', async () => {
    const { ask, sent } = openCoalescer(2);
    for (const id of ['a', 'b', 'c', 'd', 'e']) void ask(id);
    await microtasks();
    expect(sent()).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  it('that fails fails all that travelled with it, and nothing after', async () => {
    const { ask, calls } = openCoalescer();
    const asked = Promise.allSettled([ask('a'), ask('b')]);
    await microtasks();
    calls[0]?.end(new Error('away'));
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = ask('a');
    await microtasks();
    calls[1]?.end();
    expect(await again).toBe('about a');
  });
});
