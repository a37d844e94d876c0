/** A copy from storage to storage (STORE-10): whole or refused, whatever breaks it off. */

import { type Operation, STORAGE_LIMITS, type Storage, StorageError, type StoredItem } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CopySide, copyStorage } from './copy-storage.js';
import { openStorageFormat } from './storage-format.js';

const LOGS = ['events/a', 'events/b'];
const STRANGE = 'a\u0000\u2028"\r\n\u{1F511}';

function sideOf(storage: Storage): CopySide {
  async function* items(): AsyncGenerator<StoredItem> {
    for (let after: string | undefined; ; ) {
      const page = await storage.list('', { after, limit: 7, values: true });
      for (const { record } of page.items) if (record !== undefined) yield { kind: 'record', record };
      after = page.next;
      if (after === undefined) break;
    }
    for (const log of LOGS) {
      for (const { value } of await storage.readLog(log, { limit: STORAGE_LIMITS.maxPage }))
        yield { kind: 'entry', log, value };
    }
  }
  return { storage, snapshot: async () => ({ items: items(), lastVersion: '0', close: async () => undefined }) };
}

async function contentsOf(storage: Storage) {
  const contents: unknown[] = [];
  for await (const item of (await sideOf(storage).snapshot()).items) {
    if (item.kind === 'entry') contents.push(item);
    else contents.push([item.record.key, item.record.value, item.record.expiresAt]);
  }
  return contents;
}

type Commit = Storage['commit'];

/** The storage with another commit, which is given its own. */
function committing(
  storage: Storage,
  commit: (own: Commit, ...call: Parameters<Commit>) => ReturnType<Commit>,
): Storage {
  return new Proxy(storage, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return name === 'commit' ? commit.bind(undefined, target.commit.bind(target)) : member.bind(target);
    },
  });
}

/** Throws in the place of the commit of this number, or after it was applied. */
function breakAt(storage: Storage, commits: number, isApplied = false, code: 'closed' | 'outcome_unknown' = 'closed') {
  let count = 0;
  return committing(storage, async (commit, operations) => {
    count += 1;
    if (count !== commits) return commit(operations);
    if (isApplied) await commit(operations);
    throw new StorageError(code, 'broken off');
  });
}

const put = (key: string, value: string, expiresAt?: number): Operation => ({
  type: 'put',
  key,
  value,
  expiresAt,
  if: 'any',
});

let source: Storage;
let target: Storage;
const copy = (to = target, from = source) => copyStorage(sideOf(from), sideOf(to), () => undefined);
const failureOf = (work: Promise<unknown>) => work.then(() => 'none', String);
const serve = (storage: Storage) => failureOf(openStorageFormat(storage));

beforeEach(async () => {
  source = createMemoryStorage();
  target = createMemoryStorage();
  await openStorageFormat(source);
  for (let at = 0; at < 60; at += 20) {
    await source.commit(Array.from({ length: 20 }, (_, of) => put(`k/${at + of}`, `v${at + of}`, at || undefined)));
  }
  await source.commit([put(STRANGE, STRANGE, -5)]);
  for (let at = 0; at < 6; at += 1) {
    await source.commit([
      { type: 'append', log: 'events/b', value: `b${at}` },
      { type: 'append', log: 'events/a', value: at === 3 ? STRANGE : `a${at}` },
    ]);
  }
});

describe('a copy', () => {
  it('holds every record, expiry, log entry and the format of the source, and is served', async () => {
    const before = await contentsOf(source);
    const report = await copy();
    expect(await contentsOf(target)).toEqual(before);
    expect(await contentsOf(source)).toEqual(before);
    expect(report).toMatchObject({ records: 62, entries: 12, written: 73 });
    expect(await serve(target)).toBe('none');
  });

  it('that broke off at any commit, applied or not, is refused by servers and completed by the next run', async () => {
    const whole = await contentsOf(source);
    for (const isApplied of [false, true]) {
      for (let commits = 1; ; commits += 1) {
        const broken = createMemoryStorage();
        const outcome = await failureOf(copy(breakAt(broken, commits, isApplied)));
        if (outcome === 'none') {
          expect(commits).toBeGreaterThan(6);
          break;
        }
        const isMarked = commits > 1 || isApplied;
        const isComplete = JSON.stringify(await contentsOf(broken)) === JSON.stringify(whole);
        if (isMarked && !isComplete) {
          expect(await serve(broken)).toContain('incomplete copy');
          await copy(broken);
        } else if (!isMarked) {
          expect(await contentsOf(broken)).toEqual([]);
          await copy(broken);
        }
        expect(await contentsOf(broken)).toEqual(whole);
        expect(await serve(broken)).toBe('none');
      }
    }
  });

  it('that broke off writes only what is missing or was changed since, and removes what is gone', async () => {
    await failureOf(copy(breakAt(target, 4)));
    await source.commit([
      put('k/0', 'changed'),
      put('k/00', 'new'),
      { type: 'delete', key: 'k/1', if: 'present' },
      put('k/10', 'v10', 77),
    ]);
    const { written } = await copy();
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
    expect(written).toBeLessThan(60);
  });

  it('leaves the target incomplete where the source was changed meanwhile', async () => {
    const from = sideOf(source);
    let snapshots = 0;
    const changing: CopySide = {
      ...from,
      async snapshot() {
        snapshots += 1;
        if (snapshots === 3) await source.commit([put('k/7', 'changed')]);
        return from.snapshot();
      },
    };
    expect(await failureOf(copyStorage(changing, sideOf(target), () => undefined))).toContain('was changed');
    expect(await serve(target)).toContain('incomplete copy');
    await copy();
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });

  it('leaves the target incomplete where that holds something else at the end', async () => {
    let commits = 0;
    const meddled = committing(target, async (commit, operations) => {
      commits += 1;
      if (commits === 5) await commit([put('foreign', 'v')]);
      return commit(operations);
    });
    expect(await failureOf(copy(meddled))).toContain('does not hold what FROM holds');
    expect(await serve(target)).toContain('incomplete copy');
  });

  it('that another run took over writes nothing more', async () => {
    let second: Promise<unknown> | undefined;
    const slow = committing(target, async (commit, operations) => {
      if (operations.some(({ type }) => type === 'append')) {
        second ??= copy();
        await second;
      }
      return commit(operations);
    });
    expect(await failureOf(copy(slow))).toContain('another copy');
    await second;
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });

  it('that is run again after its end writes nothing', async () => {
    await copy();
    expect(await copy()).toMatchObject({ records: 62, entries: 12, written: 0 });
    await target.commit([put('k/0', 'changed')]);
    expect(await failureOf(copy())).toContain('TO is not empty');
  });

  it('is refused into a storage that holds anything, a record or an entry of a log', async () => {
    await target.commit([put('a', '1')]);
    const other = createMemoryStorage();
    await other.commit([{ type: 'append', log: 'events/a', value: '1' }]);
    for (const to of [target, other]) {
      const before = await contentsOf(to);
      expect(await failureOf(copy(to))).toContain('TO is not empty');
      expect(await contentsOf(to)).toEqual(before);
    }
  });

  it('is refused from an empty storage and from an incomplete copy', async () => {
    expect(await failureOf(copy(target, createMemoryStorage()))).toContain('FROM holds nothing');
    expect(await contentsOf(target)).toEqual([]);
    await failureOf(copy(breakAt(target, 4)));
    expect(await failureOf(copy(createMemoryStorage(), target))).toContain('FROM holds an incomplete copy itself');
  });

  it('repeats a put whose outcome is unknown, never an append', async () => {
    await copy(breakAt(target, 3, true, 'outcome_unknown'));
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
    const other = createMemoryStorage();
    expect(await failureOf(copy(breakAt(other, 6, true, 'outcome_unknown')))).toContain('broken off');
    await copy(other);
    expect(await contentsOf(other)).toEqual(await contentsOf(source));
  });

  it('is complete where only the answer to its last commit was lost', async () => {
    const { written } = await copy();
    expect(written).toBe(73);
    target = createMemoryStorage();
    // The mark, three commits of records, three of entries, and the end.
    await copy(breakAt(target, 8, true, 'outcome_unknown'));
    expect(await serve(target)).toBe('none');
  });

  it('of records that are large and many stays within the limits of a commit', async () => {
    const value = 'v'.repeat(STORAGE_LIMITS.maxValueBytes);
    for (let at = 0; at < 15; at += 1) await source.commit([put(`large/${at}`, value)]);
    const bytes: number[] = [];
    const watched = committing(target, (commit, operations) => {
      bytes.push(JSON.stringify(operations).length);
      return commit(operations);
    });
    await copy(watched);
    expect(Math.max(...bytes)).toBeLessThan(2 * 1024 * 1024);
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });
});
