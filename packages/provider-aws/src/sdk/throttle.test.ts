/** After the cloud throttled, calls wait with jitter, and come back one first (PROVIDER-6). */

import { ProviderError } from '@postern/ports';
import { createManualClock, type ManualClock } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { toProviderError } from './sdk-error.js';
import { createThrottle } from './throttle.js';

const START = Date.UTC(2026, 10, 22);

function throttling(name = 'RequestLimitExceeded', retryAfter?: string): ProviderError {
  const response = { headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } };
  const error = Object.assign(new Error('slow down'), {
    name,
    $response: response,
    $metadata: { httpStatusCode: 503 },
  });
  return toProviderError(error, 'EC2 DescribeInstances', START);
}

function openThrottle(random = () => 1) {
  const clock: ManualClock = createManualClock(START);
  const throttle = createThrottle(clock, random);
  let sent = 0;
  const ask = async (answer: Error | string = 'found', place = 'ec2 eu-west-1 1') => {
    try {
      return await throttle.run(place, async () => {
        sent += 1;
        if (typeof answer !== 'string') throw answer;
        return answer;
      });
    } catch (error) {
      return error instanceof ProviderError ? [error.code, error.retryAfterSeconds] : error;
    }
  };
  return { clock, throttle, ask, sent: () => sent };
}

describe('after the cloud throttled', () => {
  it.each(['Throttling', 'ThrottlingException', 'RequestLimitExceeded', 'TooManyRequestsException', 'SlowDown'])(
    '%s: no call is sent until the wait has passed, and each caller learns how long that is',
    async (name) => {
      const { ask, sent, clock } = openThrottle();
      expect(await ask(throttling(name))).toEqual(['unavailable', 1]);
      for (let call = 0; call < 100; call += 1) expect(await ask()).toEqual(['unavailable', 1]);
      expect(sent()).toBe(1);
      clock.advance(1_000);
      expect(await ask()).toBe('found');
      expect(await ask()).toBe('found');
    },
  );

  it('waits twice as long with each refusal, up to a minute, and from the start after an answer', async () => {
    const { ask, clock } = openThrottle();
    const waits: unknown[] = [];
    for (let refusal = 0; refusal < 9; refusal += 1) {
      await ask(throttling());
      const refused = await ask();
      const seconds = Array.isArray(refused) ? refused[1] : undefined;
      waits.push(seconds);
      clock.advance(Number(seconds) * 1_000);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(await ask(new Error('no such instance'))).toBeInstanceOf(Error);
    await ask(throttling());
    expect(await ask()).toEqual(['unavailable', 1]);
  });

  it('waits for less at random, and never for less than it was asked to', async () => {
    const { ask, clock } = openThrottle(() => 0);
    for (let refusal = 0; refusal < 3; refusal += 1) {
      await ask(throttling());
      clock.advance(2_000);
    }
    // Four seconds at most, two at least.
    expect(await ask()).toBe('found');
    await ask(throttling('Throttling', '7'));
    expect(await ask()).toEqual(['unavailable', 7]);
  });

  it('sends one call when the wait has passed: the others wait for what it hears', async () => {
    const { ask, throttle, clock, sent } = openThrottle();
    await ask(throttling());
    clock.advance(1_000);
    let answer: (text: string) => void = () => undefined;
    const first = throttle.run('ec2 eu-west-1 1', () => new Promise<string>((resolve) => (answer = resolve)));
    const others = Array.from({ length: 10 }, () => ask());
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(sent()).toBe(1);
    answer('found');
    expect(await first).toBe('found');
    expect(await Promise.all(others)).toEqual(others.map(() => 'found'));
  });

  it('refuses those that waited when that call is throttled again, and lets them ask when it failed otherwise', async () => {
    const { ask, throttle, clock, sent } = openThrottle();
    await ask(throttling());
    clock.advance(1_000);
    for (const [error, expected, calls] of [
      [throttling(), ['unavailable', 2], 1],
      [new ProviderError('unavailable', 'no answer'), 'found', 11],
    ] as const) {
      let fail: (error: Error) => void = () => undefined;
      const first = throttle.run('ec2 eu-west-1 1', () => new Promise<string>((_, reject) => (fail = reject)));
      const others = Array.from({ length: 10 }, () => ask());
      await new Promise((resolve) => setTimeout(resolve, 5));
      fail(error);
      await expect(first).rejects.toBe(error);
      expect(await Promise.all(others)).toEqual(others.map(() => expected));
      expect(sent()).toBe(calls);
      clock.advance(2_000);
    }
  });

  it('counts calls that were under way together as one refusal', async () => {
    const { throttle, ask } = openThrottle();
    const refuse: (() => void)[] = [];
    const calls = Array.from({ length: 20 }, () =>
      throttle.run('ec2 eu-west-1 1', () => new Promise<never>((_, reject) => refuse.push(() => reject(throttling())))),
    );
    for (const each of refuse) each();
    expect((await Promise.allSettled(calls)).every(({ status }) => status === 'rejected')).toBe(true);
    expect(await ask()).toEqual(['unavailable', 1]);
  });

  it('holds up no other service, account or region, and no other failure begins a wait', async () => {
    const { ask, clock } = openThrottle();
    await ask(throttling());
    expect(await ask('found', 'iam us-east-1 1')).toBe('found');
    expect(await ask('found', 'ec2 eu-west-1 2')).toBe('found');
    clock.advance(1_000);
    await ask(new ProviderError('unavailable', 'no answer'));
    expect(await ask()).toBe('found');
    // The clock is set back by an hour.
    await ask(throttling());
    clock.advance(-3_600_000);
    expect(await ask()).toBe('found');
  });
});
