/** How long a call waits for its event, whatever came before it. */
import type { AuditEvent, CallOptions } from '@postern/ports';
import { expect, it } from 'vitest';
import { RECORD_TIMEOUT_MS, SinkFeeder } from './sink-feeder.js';

const eventOf = (id: string): AuditEvent => ({ id, time: 0, requestId: 'r', operation: 'login', outcome: 'denied' });
const turns = () => new Promise((resolve) => setImmediate(resolve));
const never = () => new Promise<void>(() => undefined);

/** Its sleepers wake when the test says so, or when their signal fires. */
function clockOf() {
  let now = 0;
  const sleepers: (() => void)[] = [];
  return {
    now: () => now,
    sleep: (_ms: number, { signal }: CallOptions = {}) =>
      new Promise<void>((resolve, reject) => {
        sleepers.push(resolve);
        signal?.addEventListener('abort', () => reject(new Error('aborted')));
      }),
    slept: () => sleepers.length,
    advance(ms: number) {
      now += ms;
      for (const wake of sleepers) wake();
    },
  };
}

it('a call whose event comes as the wait for another ends fails in time too', async () => {
  const clock = clockOf();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const feeder = new SinkFeeder({ record: ({ id }) => (id === 'first' ? held : never()) }, clock, () => undefined);
  const first = feeder.pushPending(eventOf('first'));
  // Long enough for the watch of the first to have begun.
  await turns();
  expect(clock.slept()).toBe(1);
  const second = first.then(() => feeder.pushPending(eventOf('second')));
  const refused = expect(second).rejects.toThrow('does not record events in time');
  release();
  await turns();
  expect(clock.slept()).toBe(2);
  clock.advance(RECORD_TIMEOUT_MS + 1);
  await refused;
});

it('calls that come together wait for one timer', async () => {
  const clock = clockOf();
  const feeder = new SinkFeeder({ record: never }, clock, () => undefined);
  const calls = Array.from({ length: 20 }, (_, at) => feeder.pushPending(eventOf(`event-${at}`)));
  const refused = Promise.allSettled(calls);
  await turns();
  expect(clock.slept()).toBe(1);
  clock.advance(RECORD_TIMEOUT_MS + 1);
  expect((await refused).every(({ status }) => status === 'rejected')).toBe(true);
});

it('a call whose event is recorded at once waits for no timer', async () => {
  const clock = clockOf();
  const feeder = new SinkFeeder({ record: () => undefined }, clock, () => undefined);
  await feeder.pushPending(eventOf('one'));
  await feeder.pushPending(eventOf('two'));
  await turns();
  expect(clock.slept()).toBe(0);
});
