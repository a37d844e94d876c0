/** Trying again: how often, how long, and what is not tried again. */
import { describe, expect, it } from 'vitest';
import { type ClientErrorKind, PosternClientError } from '../client-error.js';
import { createPosternClient } from './create-client.js';
import { pauseOf, type RetryOptions, realSleep, retrying } from './retry.js';

function setUp(more: Partial<RetryOptions> = {}) {
  const slept: number[] = [];
  let tried = 0;
  const options = {
    maxAttempts: 4,
    maxWaitMs: 60_000,
    sleep: async (ms: number) => void slept.push(ms),
    random: () => 1,
    signal: undefined,
    ...more,
  };
  const fail = (kind: ClientErrorKind, retryAfterSeconds?: number) => async () => {
    tried += 1;
    throw new PosternClientError(kind, 'code', 'text', { retryAfterSeconds });
  };
  return { slept, options, fail, tried: () => tried };
}

describe('retrying', () => {
  it('waits twice as long each time, and gives up', async () => {
    const { slept, options, fail, tried } = setUp();
    await expect(retrying(fail('unavailable'), options)).rejects.toMatchObject({ kind: 'unavailable' });
    expect([tried(), slept]).toEqual([4, [250, 500, 1000]]);
  });

  it.each<ClientErrorKind>(['denied', 'forbidden', 'invalid', 'misconfigured', 'unexpected', 'evidence', 'aborted'])(
    'does not ask again after %s',
    async (kind) => {
      const { options, fail, tried } = setUp();
      await expect(retrying(fail(kind), options)).rejects.toMatchObject({ kind });
      expect(tried()).toBe(1);
    },
  );

  it('does not retry after another error', async () => {
    const { slept, options } = setUp();
    await expect(retrying(async () => Promise.reject(new TypeError('x')), options)).rejects.toThrow(TypeError);
    expect(slept).toEqual([]);
  });

  it('does not begin a wait that goes beyond the bound', async () => {
    const { slept, options, fail, tried } = setUp({ maxWaitMs: 12_000, random: () => 0 });
    await expect(retrying(fail('unavailable', 5), options)).rejects.toMatchObject({ retryAfterSeconds: 5 });
    expect([tried(), slept]).toEqual([3, [5000, 5000]]);
    const long = setUp({ maxWaitMs: 12_000, random: () => 0 });
    await expect(retrying(long.fail('unavailable', 13), long.options)).rejects.toMatchObject({ retryAfterSeconds: 13 });
    expect([long.tried(), long.slept]).toEqual([1, []]);
  });

  it('ends in the middle of a wait at your signal', async () => {
    const ending = new AbortController();
    const { options, fail, tried } = setUp({ signal: ending.signal, sleep: async () => ending.abort() });
    await expect(retrying(fail('unavailable'), options)).rejects.toMatchObject({ kind: 'aborted' });
    expect(tried()).toBe(1);
  });

  it('spreads by chance, and never comes before it was told to', () => {
    expect([pauseOf(1, undefined, 0), pauseOf(1, undefined, 1), pauseOf(3, undefined, 0)]).toEqual([125, 250, 500]);
    expect([pauseOf(1, 2, 0), pauseOf(1, 2, 1)]).toEqual([2000, 2500]);
    expect(pauseOf(5, 1, 1)).toBe(4000);
  });

  it('sleeps in real time, and wakes at a signal', async () => {
    const started = performance.now();
    await realSleep(20, undefined);
    expect(performance.now() - started).toBeGreaterThan(15);
    await realSleep(60_000, AbortSignal.timeout(10));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

it('a login that gets Retry-After succeeds in the end', async () => {
  const answers = [429, 503, 502, 200];
  const slept: number[] = [];
  const client = createPosternClient({
    url: 'https://postern.test',
    sleep: async (ms) => void slept.push(ms),
    random: () => 0,
    fetch: async () => {
      const status = answers.shift() ?? 0;
      const auth = { client_token: 's.x', policies: [], lease_duration: 60, metadata: { nonce: 'made-for-you' } };
      return Response.json(status === 200 ? { auth } : {}, { status, headers: { 'retry-after': '1' } });
    },
  });
  const evidence = { instanceId: 'i-1', proof: { pkcs7: 'AA' } };
  const login = await client.loginWithInstance({ role: 'web', nonce: 'mine', evidence });
  expect([login.token, login.nonce, login.metadata]).toEqual(['s.x', 'made-for-you', {}]);
  expect(slept).toEqual([1000, 1000, 1000]);
});
