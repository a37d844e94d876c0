/** Sweeping by hand (TIDY-3 to TIDY-5). */
import type { Storage } from '@postern/ports';
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, DAY, START, type TestMethod } from '../../test/create-test-method.js';
import { interceptCommits, withMethods } from '../../test/intercept-commits.js';
import { TIDY_LEASE_MS } from './tidy-run.js';
import { TIDY_PAGE } from './tidy-sweep.js';

const HOUR = 3_600_000;
const ACCESS_LIST = 'tidy.identity-accesslist';
const DENY_LIST = 'tidy.roletag-denylist';

/** Sweeps to the end. */
async function sweep(test: TestMethod, operation = ACCESS_LIST, fields: Readonly<Record<string, unknown>> = {}) {
  const outcome = await test.host(operation, {}, fields);
  await test.method.settled();
  return outcome;
}

async function statusOf(test: TestMethod, target = 'identity-accesslist') {
  const { data } = await test.host('tidy.status');
  return data?.[target] as Readonly<Record<string, unknown>>;
}

/** Holds the first page back until told. */
function heldStorage() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const wrap = (inner: Storage) =>
    withMethods(inner, {
      async listExpired(...query) {
        await gate;
        return inner.listExpired(...query);
      },
    });
  return { wrap, release: () => release() };
}

describe('a run by hand', () => {
  it('keeps what the default buffer of 72 hours protects', async () => {
    const test = createTestMethod();
    await test.putEntry('i-1', { expiresAt: START - HOUR });
    expect(await sweep(test)).toEqual({ accepted: true, warnings: [expect.any(String)] });
    expect(await test.entry('i-1')).toBeDefined();
    expect(await statusOf(test)).toMatchObject({ examined: 0, safety_buffer: 259_200 });
  });

  it('removes what is past the buffer that was sent', async () => {
    const test = createTestMethod();
    await test.putEntry('i-1', { expiresAt: START - 2 * HOUR });
    await sweep(test, ACCESS_LIST, { safety_buffer: '1h' });
    expect(await test.entry('i-1')).toBeUndefined();
  });

  it('takes no buffer from the stored settings', async () => {
    const test = createTestMethod();
    await test.host('config.tidy.identity-accesslist.write', {}, { safety_buffer: 1, disable_periodic_tidy: true });
    await test.putEntry('i-1', { expiresAt: START - HOUR });
    await sweep(test);
    expect(await test.entry('i-1')).toBeDefined();
  });

  it.each([
    ['at the very instant', 0, true],
    ['a millisecond later', 1, false],
  ])('removes strictly after expiration and buffer: %s', async (_name, later, stays) => {
    const test = createTestMethod();
    await test.putEntry('i-1', { expiresAt: START });
    test.clock.advance(60_000 + later);
    await sweep(test, ACCESS_LIST, { safety_buffer: 60 });
    expect((await test.entry('i-1')) !== undefined).toBe(stays);
  });

  it.each([-1, '-1s', 'soon', 1.5])('refuses a buffer of %j', async (buffer) => {
    const { host } = createTestMethod();
    expect(await codeOf(host(ACCESS_LIST, {}, { safety_buffer: buffer }))).toBe('field_invalid');
  });

  it('takes a buffer longer than time', async () => {
    const test = createTestMethod();
    await test.putEntry('i-1', { expiresAt: 0 });
    await sweep(test, ACCESS_LIST, { safety_buffer: '90000d' });
    expect(await statusOf(test)).toMatchObject({ running: false, examined: 0, last_error: null });
  });

  it('starts nothing while one runs over the same list, and does over the other', async () => {
    const { wrap, release } = heldStorage();
    const test = createTestMethod({ storage: wrap });
    await test.putEntry('i-1', { expiresAt: START - 80 * HOUR });
    expect((await test.host(ACCESS_LIST)).accepted).toBe(true);
    expect(await test.host(ACCESS_LIST)).toEqual({ warnings: [expect.any(String)] });
    expect((await test.host(DENY_LIST)).accepted).toBe(true);
    expect(await statusOf(test)).toMatchObject({ running: true, finished_time: null });
    release();
    await test.method.settled();
    expect(await statusOf(test)).toMatchObject({ running: false, removed: 1 });
    expect((await sweep(test)).accepted).toBe(true);
  });

  it('sweeps the deny list alike', async () => {
    const test = createTestMethod();
    const { denyList } = test.inside.collections;
    const put = (id: string, expiresAt: number) =>
      denyList.put(id, { tag: `v1:${id}`, createdAt: START - 9 * DAY, expiresAt }, 'absent', expiresAt);
    await test.memory.commit([put('old', START - 73 * HOUR), put('recent', START - 71 * HOUR)]);
    await sweep(test, DENY_LIST);
    expect(await denyList.allIds()).toEqual(['recent']);
  });

  it('needs a token that may', async () => {
    const { call } = createTestMethod();
    for (const operation of [ACCESS_LIST, DENY_LIST, 'tidy.status']) {
      expect(await codeOf(call(operation))).toBe('permission_denied');
    }
  });

  it('has two paths and their deprecated names (WIRE-8)', () => {
    const { method } = createTestMethod();
    const found = method.operations.filter(({ id }) => id === ACCESS_LIST || id === DENY_LIST);
    expect(found.map(({ verb, path, aliases }) => [verb, path, ...(aliases ?? [])])).toEqual([
      ['write', 'tidy/roletag-denylist', 'tidy/roletag-blacklist'],
      ['write', 'tidy/identity-accesslist', 'tidy/identity-whitelist'],
    ]);
  });
});

describe('a run', () => {
  it('goes through every page and counts', async () => {
    const test = createTestMethod();
    const many = 2 * TIDY_PAGE + 7;
    for (let at = 0; at < many; at += 1) await test.putEntry(`i-${at}`, { expiresAt: START - 80 * HOUR });
    await test.putEntry('i-young', { expiresAt: START + HOUR });
    await sweep(test);
    expect(await test.inside.collections.accessList.allIds()).toEqual(['i-young']);
    expect(await statusOf(test)).toEqual({
      running: false,
      examined: many,
      removed: many,
      renewed: 0,
      failed: 0,
      kept: 0,
      unverified: 0,
      safety_buffer: 259_200,
      started_time: '2026-11-21T09:00:00.000Z',
      finished_time: '2026-11-21T09:00:00.000Z',
      last_error: null,
    });
  });

  it.each([
    ['is no record', 'not json'],
    ['says that it has not expired', undefined],
  ])('goes on past an entry that %s, and counts it', async (_name, text) => {
    const test = createTestMethod();
    for (const id of ['i-1', 'i-2', 'i-3']) await test.putEntry(id, { expiresAt: START - 80 * HOUR });
    const key = `${test.inside.collections.accessList.prefix}i-2`;
    const value = text ?? JSON.stringify({ ...(await test.entry('i-1')), expiresAt: START + HOUR });
    await test.memory.commit([{ type: 'put', key, value, expiresAt: START - 80 * HOUR, if: 'any' }]);
    await sweep(test);
    expect(await test.inside.collections.accessList.allIds()).toEqual(['i-2']);
    expect(await statusOf(test)).toMatchObject({ examined: 3, removed: 2, failed: 1, last_error: null });
  });

  it('counts deletions that failed, goes on, and the next run takes what is left', async () => {
    const storages: ReturnType<typeof createFaultStorage>[] = [];
    const test = createTestMethod({
      storage: (inner) => {
        const faulty = createFaultStorage(inner);
        storages.push(faulty);
        let commits = 0;
        return interceptCommits(faulty, (operations, options) => {
          // The first commit is the lease, the second the first 25 deletions.
          commits += 1;
          if (commits === 2) faulty.failNextCommit('unavailable');
          return faulty.commit(operations, options);
        });
      },
    });
    for (let at = 0; at < 30; at += 1) await test.putEntry(`i-${at}`, { expiresAt: START - 80 * HOUR });
    await test.method.handleAsHost({ operation: ACCESS_LIST, params: {}, fields: {}, requestId: '1', peerAddress: '' });
    await test.method.settled();
    expect(storages[0]?.faults()).toEqual(new Map([['commit:unavailable', 1]]));
    expect(await statusOf(test)).toMatchObject({ examined: 30, removed: 5, failed: 25 });
    await sweep(test);
    expect(await statusOf(test)).toMatchObject({ examined: 25, removed: 25, failed: 0 });
  });

  it('that cannot read a page ends, says why, and releases its lease', async () => {
    let isDown = true;
    const test = createTestMethod({
      storage: (inner) => {
        const faulty = createFaultStorage(inner);
        return withMethods(faulty, {
          listExpired: (...query) => {
            if (isDown) faulty.failNextRead('unavailable');
            return faulty.listExpired(...query);
          },
        });
      },
    });
    await test.putEntry('i-1', { expiresAt: START - 80 * HOUR });
    expect((await sweep(test)).accepted).toBe(true);
    expect(await statusOf(test)).toMatchObject({ running: false, removed: 0, last_error: 'unavailable' });
    isDown = false;
    expect((await sweep(test)).accepted).toBe(true);
    expect(await statusOf(test)).toMatchObject({ removed: 1, last_error: null });
  });

  it('whose process died holds the list for two minutes, and is reported as interrupted', async () => {
    const { wrap } = heldStorage();
    const dead = createTestMethod({ storage: wrap });
    expect((await dead.host(ACCESS_LIST)).accepted).toBe(true);
    const other = createTestMethod({ beside: dead });
    dead.clock.advance(TIDY_LEASE_MS - 1);
    expect((await sweep(other)).accepted).toBeUndefined();
    dead.clock.advance(1);
    expect(await statusOf(other)).toMatchObject({ running: false, last_error: 'interrupted' });
    expect((await sweep(other)).accepted).toBe(true);
    expect(await statusOf(other)).toMatchObject({ running: false, last_error: null });
  });

  it('that was taken over stops and leaves the record of the other alone', async () => {
    const { wrap, release } = heldStorage();
    const slow = createTestMethod({ storage: wrap });
    for (let at = 0; at < TIDY_PAGE + 1; at += 1) await slow.putEntry(`i-${at}`, { expiresAt: START - 80 * HOUR });
    await slow.host(ACCESS_LIST);
    slow.clock.advance(TIDY_LEASE_MS);
    const other = createTestMethod({ beside: slow });
    await sweep(other);
    release();
    await slow.method.settled();
    expect(await statusOf(other)).toMatchObject({ examined: TIDY_PAGE + 1, removed: TIDY_PAGE + 1, last_error: null });
  });

  it('ends at its next page when the method is closed, and none starts after', async () => {
    const { wrap, release } = heldStorage();
    const test = createTestMethod({ storage: wrap });
    for (let at = 0; at < TIDY_PAGE + 1; at += 1) await test.putEntry(`i-${at}`, { expiresAt: START - 80 * HOUR });
    await test.host(ACCESS_LIST);
    const closing = test.method.close();
    release();
    await closing;
    expect(await statusOf(test)).toMatchObject({ running: false, removed: TIDY_PAGE, last_error: 'stopped' });
    expect((await sweep(test)).accepted).toBeUndefined();
    expect(await test.inside.collections.accessList.allIds()).toHaveLength(1);
  });
});
