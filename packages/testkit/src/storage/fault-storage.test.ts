import { createMemoryStorage } from '@postern/storage-memory';
import { describe, expect, it } from 'vitest';
import type { CommitFault } from './fault-plan.js';
import { createFaultStorage } from './fault-storage.js';

const create = (key: string) => [{ type: 'put', key, value: 'v', if: 'absent' }] as const;
const blind = (key: string, value: string) => [{ type: 'put', key, value, if: 'any' }] as const;

const setUp = () => {
  const inner = createMemoryStorage();
  return { inner, faulty: createFaultStorage(inner) };
};

describe('a fault of a commit', () => {
  it.each([
    ['unavailable', 'unavailable', false],
    ['lost_unknown', 'outcome_unknown', false],
    ['applied_unknown', 'outcome_unknown', true],
    ['conflict', 'conflict', false],
  ] as const)('%s: the caller sees %s, and applied is %s', async (fault, code, applied) => {
    const { inner, faulty } = setUp();
    faulty.failNextCommit(fault);
    await expect(faulty.commit(create('k'))).rejects.toMatchObject({ name: 'StorageError', code });
    expect((await inner.get('k')) !== undefined).toBe(applied);
    expect(faulty.faults()).toEqual(new Map([[`commit:${fault}`, 1]]));
  });

  it('duplicate: the caller gets the first answer, the second delivery conflicts', async () => {
    const { inner, faulty } = setUp();
    faulty.failNextCommit('duplicate');
    const { versions } = await faulty.commit(create('k'));
    expect((await inner.get('k'))?.version).toBe(versions[0]);
  });

  it('duplicate: a blind write really is applied twice', async () => {
    const { inner, faulty } = setUp();
    faulty.failNextCommit('duplicate');
    const { versions } = await faulty.commit(blind('k', 'v'));
    const record = await inner.get('k');
    expect(record?.value).toBe('v');
    expect(record?.version).not.toBe(versions[0]);
  });

  it('conflict names the keys with a precondition, and never strikes a commit that has none', async () => {
    const { inner, faulty } = setUp();
    faulty.failNextCommit('conflict');
    await expect(faulty.commit([...create('a'), ...blind('b', 'v')])).rejects.toMatchObject({ keys: ['a'] });
    faulty.failNextCommit('conflict');
    await faulty.commit(blind('b', 'v'));
    expect(await inner.get('b')).toBeDefined();
  });

  it('strikes once for each time it was asked for, in order', async () => {
    const { faulty } = setUp();
    faulty.failNextCommit('unavailable');
    faulty.failNextCommit('lost_unknown');
    await expect(faulty.commit(create('k'))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(faulty.commit(create('k'))).rejects.toMatchObject({ code: 'outcome_unknown' });
    await faulty.commit(create('k'));
  });
});

describe('a fault of a read', () => {
  it('stale: gives what the key held before its last change, once', async () => {
    const { faulty } = setUp();
    await faulty.commit(blind('k', 'old'));
    const old = await faulty.get('k');
    await faulty.commit(blind('k', 'new'));
    faulty.failNextRead('stale');
    expect(await faulty.get('k')).toEqual(old);
    expect((await faulty.get('k'))?.value).toBe('new');
  });

  it('stale: shows a new key as absent and a deleted one as still there', async () => {
    const { faulty } = setUp();
    await faulty.commit(blind('gone', 'v'));
    await faulty.commit([{ type: 'delete', key: 'gone', if: 'present' }, ...create('new')]);
    faulty.failNextRead('stale');
    const [gone, created, never] = await faulty.getMany(['gone', 'new', 'never']);
    expect([gone?.value, created, never]).toEqual(['v', undefined, undefined]);
  });

  it('stale: a write that relied on it conflicts', async () => {
    const { faulty } = setUp();
    await faulty.commit(blind('k', 'old'));
    await faulty.commit(blind('k', 'new'));
    faulty.failNextRead('stale');
    const version = (await faulty.get('k'))?.version ?? '';
    const write = faulty.commit([{ type: 'put', key: 'k', value: 'w', if: { version } }]);
    await expect(write).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each(['get', 'getMany', 'list', 'listExpired'] as const)(
    'unavailable: %s gets no answer, once',
    async (method) => {
      const { faulty } = setUp();
      const call = {
        get: () => faulty.get('k'),
        getMany: () => faulty.getMany(['k']),
        list: () => faulty.list('', { limit: 1 }),
        listExpired: () => faulty.listExpired('', 1, { limit: 1 }),
      }[method];
      faulty.failNextRead('unavailable');
      await expect(call()).rejects.toMatchObject({ name: 'StorageError', code: 'unavailable' });
      await call();
    },
  );
});

describe('a plan', () => {
  /** Runs ten callers at once and writes down what each commit came to, in the order in which they ended. */
  const history = async (seed: number): Promise<readonly string[]> => {
    const rates: Record<CommitFault, number> = {
      unavailable: 0.1,
      applied_unknown: 0.1,
      lost_unknown: 0.1,
      conflict: 0.1,
      duplicate: 0.1,
    };
    const faulty = createFaultStorage(createMemoryStorage(), {
      seed,
      commits: rates,
      reads: { stale: 0.3 },
      maxYields: 4,
    });
    const ends: string[] = [];
    const caller = async (name: number) => {
      for (let turn = 0; turn < 20; turn += 1) {
        const key = `k${turn % 3}`;
        const version = (await faulty.get(key).catch(() => undefined))?.version;
        const condition = version === undefined ? 'absent' : { version };
        const end = await faulty.commit([{ type: 'put', key, value: `${name}`, if: condition }]).then(
          ({ versions }) => `ok ${versions[0]}`,
          (error: { code: string }) => error.code,
        );
        ends.push(`${name} ${turn} ${end}`);
      }
    };
    await Promise.all(Array.from({ length: 10 }, (_, name) => caller(name)));
    return [...ends, ...[...faulty.faults()].map(([fault, count]) => `${fault} ${count}`).sort()];
  };

  it('gives the same faults and the same interleaving for the same seed, and others for another', async () => {
    const first = await history(7);
    expect(await history(7)).toEqual(first);
    expect(await history(8)).not.toEqual(first);
  });

  it('strikes with every fault at about its rate', async () => {
    const faulty = createFaultStorage(createMemoryStorage(), { commits: { unavailable: 0.2, lost_unknown: 0.1 } });
    for (let count = 0; count < 2_000; count += 1) await faulty.commit(create(`k${count}`)).catch(() => undefined);
    expect(Math.abs((faulty.faults().get('commit:unavailable') ?? 0) - 400)).toBeLessThan(80);
    expect(Math.abs((faulty.faults().get('commit:lost_unknown') ?? 0) - 200)).toBeLessThan(60);
  });

  it('without rates is the storage itself', async () => {
    const { inner, faulty } = setUp();
    await faulty.commit([{ type: 'put', key: 'k', value: 'v', expiresAt: 1, if: 'absent' }]);
    expect(await faulty.list('', { limit: 9, values: true })).toEqual(await inner.list('', { limit: 9, values: true }));
    expect(await faulty.listExpired('', 2, { limit: 9 })).toEqual(await inner.listExpired('', 2, { limit: 9 }));
    expect(faulty.faults().size).toBe(0);
    await faulty.close();
    faulty.failNextCommit('lost_unknown');
    await expect(faulty.commit(create('l'))).rejects.toMatchObject({ code: 'closed' });
    await expect(inner.get('k')).rejects.toMatchObject({ code: 'closed' });
  });

  it.each([
    { unavailable: 1.1 },
    { unavailable: -0.1 },
    { unavailable: Number.NaN },
    { unavailable: 0.6, conflict: 0.6 },
  ])('is refused when its rates are no probabilities: %o', (commits) => {
    expect(() => createFaultStorage(createMemoryStorage(), { commits })).toThrow(TypeError);
  });
});
