/** Group commit: commits that arrive together share one transaction, and are told only after it. */
import type { Storage } from '@postern/ports';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFaultyDriver, type FaultyDriver } from '../test/faulty-driver.js';
import { type TemporaryFolder, temporaryFolder } from '../test/temporary-folder.js';
import { openSqliteStorage } from './sqlite-storage.js';

let folder: TemporaryFolder;
let driver: FaultyDriver;
let storage: Storage;

beforeEach(async () => {
  folder = temporaryFolder();
  driver = await createFaultyDriver();
  storage = await openSqliteStorage({ file: folder.path('postern.db'), driver });
});

afterEach(async () => {
  await storage.close();
  folder.remove();
});

const create = (key: string, options?: { signal: AbortSignal }) =>
  storage.commit([{ type: 'put', key, value: 'v', if: 'absent' }], options);

describe('group commit', () => {
  it('flushes 200 commits of one turn of the event loop in one transaction', async () => {
    await Promise.all(Array.from({ length: 200 }, (_, index) => create(`k${index}`)));
    expect(driver.commits()).toBe(1);
  });

  it('bounds a group, so that a flood does not block the event loop for long', async () => {
    await Promise.all(Array.from({ length: 1_600 }, (_, index) => create(`k${index}`)));
    expect(driver.commits()).toBe(4);
  });

  it('bounds a group by bytes too', async () => {
    const value = 'v'.repeat(300 * 1024);
    const puts = Array.from({ length: 20 }, (_, index) =>
      storage.commit([{ type: 'put', key: `k${index}`, value, if: 'absent' }]),
    );
    await Promise.all(puts);
    expect(driver.commits()).toBe(2);
  });

  it('decides each commit of a group against those before it, in the order of arrival', async () => {
    const outcomes = await Promise.allSettled([
      create('a'),
      create('a'),
      storage.commit([{ type: 'delete', key: 'a', if: 'present' }]),
      storage.commit([{ type: 'put', key: 'a', value: 'last', if: 'absent' }]),
      storage.commit([{ type: 'check', key: 'b', if: 'present' }]),
    ]);
    expect(driver.commits()).toBe(1);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect((await storage.get('a'))?.value).toBe('last');
  });

  it('takes a commit out of the queue when its signal fires before the flush', async () => {
    const controller = new AbortController();
    const outcomes = Promise.allSettled([create('a'), create('b', { signal: controller.signal }), create('c')]);
    controller.abort();
    const [a, b, c] = await outcomes;
    expect([a.status, b.status, c.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(b).toMatchObject({ reason: { code: 'aborted' } });
    expect(await storage.get('b')).toBeUndefined();
  });

  it('shows a commit to no reader before it is flushed', async () => {
    const committed = create('a');
    expect(await storage.get('a')).toBeUndefined();
    await committed;
    expect(await storage.get('a')).toBeDefined();
  });

  it('answers only after the flush, one for the whole group', async () => {
    const before = driver.flushes();
    await Promise.all([create('a'), create('b'), create('c')]);
    expect(driver.flushes()).toBe(before + 1);
  });
});

describe('while the disk is slow', () => {
  /** A commit of `a` that is written, and whose flush lasts until `end` is called. */
  async function slowCommit() {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    driver.holdNextFlush(() => ended);
    const before = driver.flushes();
    const committed = create('a');
    await vi.waitUntil(() => driver.flushes() > before);
    return { committed, end };
  }
  const hasEnded = (work: Promise<unknown>) =>
    Promise.race([work.then(() => true), new Promise((resolve) => setTimeout(resolve, 20, false))]);

  it('the event loop turns, and other records are read', async () => {
    await create('other');
    const { committed, end } = await slowCommit();
    expect(await storage.get('other')).toBeDefined();
    expect((await storage.getMany(['other', 'missing'])).map((record) => record?.key)).toEqual(['other', undefined]);
    expect(await hasEnded(committed)).toBe(false);
    end();
    await committed;
  });

  it.each<[string, () => Promise<unknown>]>([
    ['get', () => storage.get('a')],
    ['getMany', () => storage.getMany(['other', 'a'])],
    ['list', () => storage.list('', { limit: 10 })],
    ['listExpired', () => storage.listExpired('', 1, { limit: 10 })],
    ['readLog', () => storage.readLog('audit', { limit: 10 })],
    ['a commit that meets the record', () => expect(create('a')).rejects.toMatchObject({ code: 'conflict' })],
    ['close', () => storage.close()],
  ])('%s waits for what a crash could still take back', async (_name, act) => {
    const { committed, end } = await slowCommit();
    const waiting = act();
    expect(await hasEnded(waiting)).toBe(false);
    end();
    await Promise.all([committed, waiting]);
  });

  it('commits gather, and become one group', async () => {
    const { committed, end } = await slowCommit();
    const before = driver.commits();
    const gathered = [];
    for (let index = 0; index < 20; index += 1) {
      gathered.push(create(`k${index}`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    end();
    await Promise.all([committed, ...gathered]);
    expect(driver.commits()).toBe(before + 1);
  });

  it('closing the storage writes and flushes what waits', async () => {
    const { committed, end } = await slowCommit();
    const gathered = create('late');
    const closed = storage.close();
    end();
    await Promise.all([committed, gathered, closed]);
    storage = await openSqliteStorage({ file: folder.path('postern.db'), driver });
    expect(await storage.get('late')).toBeDefined();
  });
});
