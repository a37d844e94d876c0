/** Readiness is a write, told within seconds, and not asked of the storage more than once a second. */
import { type Storage, StorageError, type StorageFault } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createManualClock } from '@postern/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogFacts } from '../log.js';
import { type Refusal, watchReadiness } from './readiness.js';

const clock = createManualClock(0);

function watched(refusal?: () => Refusal | undefined) {
  const memory = createMemoryStorage();
  const lines: (readonly [string, string, unknown])[] = [];
  let commits = 0;
  let fail: (() => Promise<never>) | undefined;
  const storage: Pick<Storage, 'commit'> = {
    commit: async (...given) => {
      commits += 1;
      return fail === undefined ? memory.commit(...given) : fail();
    },
  };
  const log = (level: string, message: string, facts: LogFacts = {}) => lines.push([level, message, facts['code']]);
  return {
    watch: watchReadiness(storage, clock, log, refusal),
    lines,
    commits: () => commits,
    fails: (how: (() => Promise<never>) | undefined) => {
      fail = how;
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('O5: readiness', () => {
  it.each<[StorageFault | undefined, string]>([
    ['full', 'storage_full'],
    ['read_only', 'storage_read_only'],
    ['broken', 'storage_broken'],
    [undefined, 'storage_unavailable'],
  ])('of a storage that fails with %s is %s, in the log within five seconds and once', async (fault, code) => {
    const { watch, lines, fails } = watched();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(watch.last()).toEqual({ ready: true });
    fails(() => Promise.reject(new StorageError('unavailable', 'no', { fault })));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(watch.last()).toMatchObject({ ready: false, code });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(lines).toEqual([['error', 'not ready', code]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines).toHaveLength(2);
    fails(undefined);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(watch.last()).toEqual({ ready: true });
    expect(lines.at(-1)).toEqual(['info', 'ready again', undefined]);
    watch.stop();
  });

  it('of a storage that never answers is storage_unavailable after two seconds', async () => {
    const { watch, fails } = watched();
    fails(() => new Promise(() => undefined));
    const checked = watch.check();
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();
    expect(await checked).toMatchObject({ ready: false, code: 'storage_unavailable' });
    watch.stop();
  });

  it('writes once a second at most, however many ask', async () => {
    const { watch, commits } = watched();
    await Promise.all(Array.from({ length: 100 }, () => watch.check()));
    for (let at = 0; at < 100; at += 1) await watch.check();
    expect(commits()).toBe(1);
    await vi.advanceTimersByTimeAsync(1_001);
    await watch.check();
    expect(commits()).toBe(2);
    watch.stop();
  });

  it('is off while the server drains, for checks and for what was last seen, and the storage is still checked', async () => {
    const { watch, commits } = watched();
    expect(await watch.check()).toEqual({ ready: true });
    watch.drain();
    expect(await watch.check()).toMatchObject({ ready: false, code: 'draining' });
    expect(watch.last()).toMatchObject({ ready: false, code: 'draining' });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(commits()).toBe(2);
    expect(watch.last()).toMatchObject({ ready: false, code: 'draining' });
    watch.stop();
  });

  it('is off while the clock forbids logins', async () => {
    let refusal: Refusal | undefined = ['clock_skewed', 'ahead'];
    const { watch } = watched(() => refusal);
    expect(await watch.check()).toEqual({ ready: false, code: 'clock_skewed', reason: 'ahead' });
    refusal = undefined;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(watch.last()).toEqual({ ready: true });
    watch.stop();
  });
});
