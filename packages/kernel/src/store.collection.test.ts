/** Typed collections over storage: keys, codec, versions, paging. */
import { isConflict, STORAGE_LIMITS, type Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { encodeRecord, type OnUnreadable, RECORD_FORMAT, type RecordSchema } from './record-format.js';
import { type Collection, createCollection as create, unchanged } from './store.js';

/** What a core makes of a record that does not decode. */
class UnreadableError extends Error {
  readonly code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

const onUnreadable: OnUnreadable = (key, why) => new UnreadableError(`the stored record ${key} cannot be read`, why);

function createCollection<T extends object>(storage: Storage, prefix: string, schema: RecordSchema<T>): Collection<T> {
  return create(storage, prefix, schema, onUnreadable);
}

const schema = z.strictObject({ n: z.number() });

function createTestCollection() {
  const storage = createMemoryStorage();
  return {
    storage,
    numbers: createCollection(storage, 'p/numbers/', schema),
    others: createCollection(storage, 'p/other/', schema),
  };
}

describe('a collection', () => {
  it('reads what was put, with its version and expiry', async () => {
    const { storage, numbers } = createTestCollection();
    const { versions } = await storage.commit([numbers.put('a', { n: 1 }, 'absent', 5000)]);
    expect(await numbers.get('a')).toEqual({ id: 'a', value: { n: 1 }, version: versions[0], expiresAt: 5000 });
    expect(await numbers.get('b')).toBeUndefined();
  });

  it('reads several with one read, in the order asked for', async () => {
    const { storage, numbers } = createTestCollection();
    await storage.commit([numbers.put('a', { n: 1 }, 'absent'), numbers.put('b', { n: 2 }, 'absent')]);
    const entries = await numbers.getMany(['b', 'c', 'a']);
    expect(entries.map((entry) => entry?.value.n)).toEqual([2, undefined, 1]);
  });

  it('reads any number, as many at a time as a storage gives; none without a read', async () => {
    const { storage, numbers } = createTestCollection();
    const reads = vi.spyOn(storage, 'getMany');
    const last = STORAGE_LIMITS.maxGetMany * 2;
    await storage.commit([numbers.put('id-0', { n: 0 }, 'absent'), numbers.put(`id-${last}`, { n: 1 }, 'absent')]);
    const entries = await numbers.getMany(Array.from({ length: last + 1 }, (_, n) => `id-${n}`));
    expect(entries).toHaveLength(last + 1);
    expect([entries[0]?.value, entries[1], entries[last]?.value]).toEqual([{ n: 0 }, undefined, { n: 1 }]);
    expect(reads.mock.calls.map(([keys]) => keys.length)).toEqual([
      STORAGE_LIMITS.maxGetMany,
      STORAGE_LIMITS.maxGetMany,
      1,
    ]);
    expect(await numbers.getMany([])).toEqual([]);
    expect(reads).toHaveBeenCalledTimes(3);
  });

  it('keeps names of the prototype apart like any others (THREAT-38)', async () => {
    const { storage, numbers } = createTestCollection();
    for (const id of ['__proto__', 'constructor', 'toString']) expect(await numbers.get(id)).toBeUndefined();
    await storage.commit([numbers.put('__proto__', { n: 1 }, 'absent')]);
    expect((await numbers.get('__proto__'))?.value).toEqual({ n: 1 });
    expect(await numbers.get('constructor')).toBeUndefined();
  });

  it('decodes a version once and hands out what cannot be changed', async () => {
    const { storage } = createTestCollection();
    let decoded = 0;
    const lists = createCollection(
      storage,
      'p/lists/',
      z.strictObject({ list: z.array(z.number()) }).transform((value) => {
        decoded += 1;
        return value;
      }),
    );
    await storage.commit([lists.put('a', { list: [1] }, 'absent')]);
    const first = await lists.get('a');
    expect(await lists.get('a')).toEqual(first);
    expect(decoded).toBe(1);
    expect(() => first?.value.list.push(2)).toThrow(TypeError);
    await storage.commit([lists.put('a', { list: [3] }, 'present')]);
    expect((await lists.get('a'))?.value).toEqual({ list: [3] });
    await storage.commit([lists.delete('a', 'present')]);
    expect(await lists.get('a')).toBeUndefined();
    await storage.commit([lists.put('a', { list: [1] }, 'absent')]);
    expect((await lists.get('a'))?.value).toEqual({ list: [1] });
    expect(decoded).toBe(3);
  });

  it('keeps a bounded number of decoded entries', async () => {
    const { storage } = createTestCollection();
    let decoded = 0;
    const counted = createCollection(
      storage,
      'p/counted/',
      schema.transform((value) => {
        decoded += 1;
        return value;
      }),
    );
    const ids = Array.from({ length: 300 }, (_, n) => `id-${n}`);
    for (const id of ids) await storage.commit([counted.put(id, { n: 1 }, 'absent')]);
    for (const id of ids) await counted.get(id);
    await counted.get('id-299');
    expect(decoded).toBe(300);
    await counted.get('id-0');
    expect(decoded).toBe(301);
  });

  it('removes a record as it stands, also one that does not decode, and holds that one that is gone is gone', async () => {
    const { storage, numbers } = createTestCollection();
    const key = 'p/numbers/a';
    expect(await numbers.removal('a')).toEqual({ type: 'check', key, if: 'absent' });
    await storage.commit([{ type: 'put', key, value: 'unreadable', if: 'absent' }]);
    const removal = await numbers.removal('a');
    expect(removal).toEqual({ type: 'delete', key, if: { version: (await storage.get(key))?.version } });
    await storage.commit([removal]);
    await storage.commit([numbers.put('a', { n: 1 }, 'absent')]);
    const again = storage.commit([removal]);
    expect(await again.catch(isConflict)).toBe(true);
    expect((await numbers.get('a'))?.value).toEqual({ n: 1 });
  });

  it('lists its own ids only, in byte order', async () => {
    const { storage, numbers, others } = createTestCollection();
    const ids = ['b', 'B', '\u00e9', 'a', 'ab'];
    await storage.commit([...ids.map((id) => numbers.put(id, { n: 1 }, 'any')), others.put('x', { n: 2 }, 'any')]);
    expect(await numbers.allIds()).toEqual(['B', 'a', 'ab', 'b', '\u00e9']);
    expect(await others.allIds()).toEqual(['x']);
  });

  it('lists page by page, each id once', async () => {
    const { storage, numbers } = createTestCollection();
    for (let n = 0; n < 7; n += 1) await storage.commit([numbers.put(`id-${n}`, { n }, 'absent')]);
    const first = await numbers.ids({ limit: 3 });
    const second = await numbers.ids({ limit: 3, after: first.next });
    const third = await numbers.ids({ limit: 3, after: second.next });
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(await numbers.allIds());
    expect(third.next).toBeUndefined();
  });

  it('walks more than one page of storage', async () => {
    const { storage, numbers } = createTestCollection();
    const ids = Array.from({ length: STORAGE_LIMITS.maxPage + 5 }, (_, n) => `id-${String(n).padStart(5, '0')}`);
    for (let at = 0; at < ids.length; at += 25) {
      await storage.commit(ids.slice(at, at + 25).map((id) => numbers.put(id, { n: 1 }, 'absent')));
    }
    expect(await numbers.allIds()).toEqual(ids);
  });

  it('commits only where its condition holds', async () => {
    const { storage, numbers } = createTestCollection();
    await storage.commit([numbers.put('a', { n: 1 }, unchanged(undefined))]);
    const first = await numbers.get('a');
    await storage.commit([numbers.put('a', { n: 2 }, unchanged(first))]);
    for (const stale of [
      numbers.put('a', { n: 3 }, unchanged(first)),
      numbers.put('a', { n: 3 }, unchanged(undefined)),
      numbers.delete('a', unchanged(first)),
      numbers.check('a', 'absent'),
    ]) {
      await expect(storage.commit([stale])).rejects.toSatisfy(isConflict);
    }
    expect((await numbers.get('a'))?.value).toEqual({ n: 2 });
    await storage.commit([numbers.delete('a', 'present')]);
    expect(await numbers.get('a')).toBeUndefined();
  });

  it.each(['', '{', 'null', '[]', '{"n":"1"}', '{}'])('never half-reads a broken record: %j', async (value) => {
    const { storage, numbers } = createTestCollection();
    await storage.commit([{ type: 'put', key: 'p/numbers/a', value, if: 'any' }]);
    await expect(numbers.get('a')).rejects.toMatchObject({
      code: 'corrupt',
      message: 'the stored record p/numbers/a cannot be read',
    });
    expect(() => numbers.decode('a', value)).toThrow(expect.objectContaining({ code: 'corrupt' }));
  });

  it('O3: writes the format version with every record', async () => {
    const { storage, numbers } = createTestCollection();
    await storage.commit([numbers.put('a', { n: 1 }, 'any')]);
    expect((await storage.get('p/numbers/a'))?.value).toBe(`{"n":1,"v":${RECORD_FORMAT}}`);
    const older = create(storage, 'p/numbers/', schema, onUnreadable, () => 1);
    await storage.commit([older.put('a', { n: 2 }, 'any')]);
    expect((await storage.get('p/numbers/a'))?.value).toBe('{"n":2,"v":1}');
    expect((await numbers.get('a'))?.value).toEqual({ n: 2 });
    expect(encodeRecord({}, 1)).toBe('{"v":1}');
  });

  it.each(['{"n":1}', '{"n":1,"v":1}', `{"v":${RECORD_FORMAT},"n":1}`])(
    'O3: reads a record of a format that it knows: %s',
    async (value) => {
      const { storage, numbers } = createTestCollection();
      await storage.commit([{ type: 'put', key: 'p/numbers/a', value, if: 'any' }]);
      expect((await numbers.get('a'))?.value).toEqual({ n: 1 });
    },
  );

  it.each([
    [`{"n":1,"v":${RECORD_FORMAT + 1}}`, 'newer'],
    [`{"n":"of another type","v":${RECORD_FORMAT + 1}}`, 'newer'],
    ['{"n":1,"bound":"of a newer version"}', 'newer'],
    [`{"n":1,"bound":"of a newer version","v":${RECORD_FORMAT}}`, 'newer'],
    ['{"n":1,"v":0}', 'corrupt'],
    ['{"n":1,"v":"1"}', 'corrupt'],
    ['{"n":1,"v":1.5}', 'corrupt'],
    ['{"n":1,"v":null}', 'corrupt'],
  ])('O3: never half-reads %s', async (value, code) => {
    const { storage, numbers } = createTestCollection();
    await storage.commit([{ type: 'put', key: 'p/numbers/a', value, if: 'any' }]);
    await expect(numbers.get('a')).rejects.toMatchObject({ code });
    await expect(numbers.getMany(['a'])).rejects.toMatchObject({ code });
    await expect(numbers.all()).rejects.toMatchObject({ code });
    expect(() => numbers.decode('a', value)).toThrow(expect.objectContaining({ code }));
  });

  it('never shows what a broken record holds', async () => {
    const { storage, numbers } = createTestCollection();
    await storage.commit([{ type: 'put', key: 'p/numbers/a', value: '{"secret":"canary"', if: 'any' }]);
    const error: unknown = await numbers.get('a').catch((thrown: unknown) => thrown);
    expect(`${String(error)}${JSON.stringify(error)}`).not.toContain('canary');
  });
});
