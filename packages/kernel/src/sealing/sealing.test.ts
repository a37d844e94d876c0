/** Sealed records: what storage holds, what opens it, rotation and rewrapping, and every way in which it must not open. */
import { createNodeCrypto } from '@postern/crypto-node';
import { type KeyWrapper, ProviderError, type Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createKeyWrapper } from './key-wrapper.js';
import { createSealedCollection } from './sealed-collection.js';
import { createSealer } from './sealer.js';

const crypto = createNodeCrypto();
const RING = 'p/data-keys/ring';
const CANARY = 'canary-of-a-secret';

const schema = z.strictObject({
  name: z.string(),
  secret: z.string().optional(),
  keys: z.array(z.strictObject({ key: z.string() })).optional(),
});

class Failure extends Error {
  readonly code: string;
  constructor(code: string, what: string) {
    super(what);
    this.code = code;
  }
}

const wrapperOf = (id: string, byte: number): KeyWrapper =>
  createKeyWrapper(crypto, { id, key: new Uint8Array(32).fill(byte) });
const ONE = wrapperOf('one', 1);
const TWO = wrapperOf('two', 2);

/** A process. */
function open(storage: Storage, wrappers: readonly KeyWrapper[], format = 2) {
  const onUnreadable = (key: string, why: string) => new Failure(why, key);
  const sealer = createSealer({
    storage,
    crypto,
    wrappers,
    ringKey: RING,
    format: () => format,
    onUnreadable,
    onFailure: (why, what) => new Failure(why, what),
  });
  const records = createSealedCollection({
    storage,
    prefix: 'p/r/',
    schema,
    secrets: ['secret', 'keys.*.key'],
    sealer,
    onUnreadable,
    format: () => format,
  });
  return { sealer, records };
}

const VALUE = { name: 'n', secret: CANARY, keys: [{ key: `${CANARY}-0` }, { key: `${CANARY}-1` }] };

async function write(storage: Storage, wrappers: readonly KeyWrapper[], format = 2): Promise<void> {
  const { records } = open(storage, wrappers, format);
  await storage.commit([await records.put('a', VALUE, 'any', 9000)]);
}

async function dump(storage: Storage): Promise<string> {
  const { items } = await storage.list('', { limit: 1000, values: true });
  return JSON.stringify(items);
}

const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => 'opened',
    (error: unknown) => (error instanceof Failure ? error.code : error),
  );

describe('V2: a sealed record', () => {
  it('shows no secret in storage, and reads as it was written, in this process and in another', async () => {
    const storage = createMemoryStorage();
    const one = open(storage, [ONE]);
    await storage.commit([await one.records.put('a', VALUE, 'absent', 9000)]);
    const text = await dump(storage);
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(Buffer.from(CANARY).toString('base64').slice(0, 16));
    for (const { records } of [one, open(storage, [ONE])]) {
      expect(await records.get('a')).toMatchObject({ value: VALUE, expiresAt: 9000 });
      expect((await records.getMany(['b', 'a'])).map((entry) => entry?.value)).toEqual([undefined, VALUE]);
      expect((await records.all()).map((entry) => entry.value)).toEqual([VALUE]);
    }
  });

  it('keeps the value of its caller as it was', async () => {
    const value = { ...VALUE };
    await open(createMemoryStorage(), [ONE]).records.put('a', value, 'absent');
    expect(value).toEqual(VALUE);
  });

  it('of an empty or missing secret needs no data key', async () => {
    const storage = createMemoryStorage();
    const { records } = open(storage, [ONE]);
    await storage.commit([await records.put('a', { name: 'n', secret: '' }, 'absent')]);
    await storage.commit([await records.put('b', { name: 'n' }, 'absent')]);
    expect(await storage.get(RING)).toBeUndefined();
    expect((await records.all()).map(({ value }) => value)).toEqual([{ name: 'n', secret: '' }, { name: 'n' }]);
  });

  it('opens once for each version, and asks the wrapper once for each data key', async () => {
    const storage = createMemoryStorage();
    await write(storage, [ONE]);
    let unwraps = 0;
    const counting: KeyWrapper = {
      ...ONE,
      unwrap: (...given) => {
        unwraps += 1;
        return ONE.unwrap(...given);
      },
    };
    const { records } = open(storage, [counting]);
    const [first, second] = await Promise.all([records.get('a'), records.get('a')]);
    expect(first?.value).toEqual(second?.value);
    const again = await records.get('a');
    expect(await records.get('a')).toBe(again);
    expect(unwraps).toBe(1);
  });

  it.each<[string, readonly KeyWrapper[]]>([
    ['without a wrapper', []],
    ['with another key', [TWO]],
    ['with another key of the same name', [wrapperOf('one', 3)]],
  ])('does not open %s', async (_name, wrappers) => {
    const storage = createMemoryStorage();
    await write(storage, [ONE]);
    expect(await codeOf(open(storage, wrappers).records.get('a'))).toBe('unreadable');
  });

  it('does not open where it was moved to another record or member, or altered', async () => {
    const storage = createMemoryStorage();
    await write(storage, [ONE]);
    const stored = JSON.parse((await storage.get('p/r/a'))?.value ?? '');
    const { records } = open(storage, [ONE]);
    const put = async (key: string, record: object) =>
      storage.commit([{ type: 'put', key, value: JSON.stringify(record), if: 'any' }]);
    await put('p/r/b', stored);
    expect(await codeOf(records.get('b'))).toBe('unreadable');
    await put('p/r/a', { ...stored, keys: [stored.keys[1], stored.keys[0]] });
    expect(await codeOf(records.get('a'))).toBe('unreadable');
    await put('p/r/a', { ...stored, secret: stored.keys[0].key });
    expect(await codeOf(records.get('a'))).toBe('unreadable');
    for (const sealed of [
      '',
      '.',
      'x.y',
      `${stored.secret.sealed.slice(0, -2)}AA`,
      stored.secret.sealed.split('.')[0],
    ]) {
      await put('p/r/a', { ...stored, secret: { sealed } });
      expect(await codeOf(records.get('a'))).toBe('unreadable');
    }
    await put('p/r/a', { ...stored, secret: { sealed: 5 } });
    expect(await codeOf(records.get('a'))).toBe('corrupt');
  });

  it('a text that looks sealed is a secret like any other', async () => {
    const storage = createMemoryStorage();
    const { records } = open(storage, [ONE]);
    const secret = '{"sealed":"00.AA"}';
    await storage.commit([await records.put('a', { name: 'n', secret }, 'absent')]);
    expect((await records.get('a'))?.value.secret).toBe(secret);
  });
});

describe('V2: a plain record of before', () => {
  it('reads, and is sealed by the next write or by resealing', async () => {
    const storage = createMemoryStorage();
    await write(storage, []);
    expect(await dump(storage)).toContain(CANARY);
    const { records } = open(storage, [ONE]);
    expect((await records.get('a'))?.value).toEqual(VALUE);
    const reseal = await records.reseal('a');
    await storage.commit(reseal === undefined ? [] : [reseal]);
    expect(await dump(storage)).not.toContain(CANARY);
    expect(await records.get('a')).toMatchObject({ value: VALUE, expiresAt: 9000 });
    expect(await records.reseal('a')).toBeUndefined();
    expect(await records.reseal('missing')).toBeUndefined();
  });

  it('stays plain while older versions read the storage', async () => {
    const storage = createMemoryStorage();
    await write(storage, [ONE], 1);
    expect(await dump(storage)).toContain(CANARY);
    expect(await open(storage, [ONE], 1).records.reseal('a')).toBeUndefined();
    expect(await storage.get(RING)).toBeUndefined();
  });
});

describe('rotation', () => {
  it('seals with the new key from the next write on, in every process; older keys still open', async () => {
    const storage = createMemoryStorage();
    const [here, there] = [open(storage, [ONE]), open(storage, [ONE])];
    await storage.commit([await here.records.put('a', VALUE, 'absent'), await there.records.put('b', VALUE, 'absent')]);
    await here.sealer.rotate();
    await storage.commit([await there.records.put('c', VALUE, 'absent')]);
    const [old, current] = await here.sealer.list();
    const keyOf = async (id: string) =>
      JSON.parse((await storage.get(`p/r/${id}`))?.value ?? '').secret.sealed.split('.')[0];
    expect([await keyOf('a'), await keyOf('b'), await keyOf('c')]).toEqual([old?.id, old?.id, current?.id]);
    expect((await here.records.all()).map(({ value }) => value)).toEqual([VALUE, VALUE, VALUE]);
    const reseal = await here.records.reseal('a');
    await storage.commit(reseal === undefined ? [] : [reseal]);
    expect(await keyOf('a')).toBe(current?.id);
  });

  it('by many processes at once keeps every key', async () => {
    const storage = createMemoryStorage();
    const processes = Array.from({ length: 5 }, () => open(storage, [ONE]));
    await Promise.all(processes.map(({ sealer }) => sealer.rotate()));
    const [first] = processes;
    expect(await first?.sealer.list()).toHaveLength(5);
  });

  it('first writes of many processes at once agree on the data keys', async () => {
    const storage = createMemoryStorage();
    const processes = Array.from({ length: 5 }, () => open(storage, [ONE]));
    await Promise.all(
      processes.map(async ({ records }, at) => storage.commit([await records.put(`r${at}`, VALUE, 'absent')])),
    );
    expect(await processes[0]?.sealer.list()).toHaveLength(1);
    expect(await open(storage, [ONE]).records.all()).toHaveLength(5);
  });
});

describe('rewrapping', () => {
  it('moves the data keys to another wrapper, after which the former is needed no more', async () => {
    const storage = createMemoryStorage();
    await write(storage, [ONE]);
    const moving = open(storage, [TWO, ONE]);
    expect((await moving.records.get('a'))?.value).toEqual(VALUE);
    expect(await moving.sealer.rewrap()).toBe(1);
    expect(await moving.sealer.rewrap()).toBe(0);
    expect(await moving.sealer.list()).toEqual([{ id: expect.any(String), wrapper: 'two' }]);
    expect((await open(storage, [TWO]).records.get('a'))?.value).toEqual(VALUE);
    expect(await codeOf(open(storage, [ONE]).records.get('a'))).toBe('unreadable');
  });

  it('without a wrapper is refused', async () => {
    const { sealer } = open(createMemoryStorage(), []);
    expect(await codeOf(sealer.rewrap())).toBe('unreadable');
    expect(await codeOf(sealer.rotate())).toBe('unreadable');
  });
});

describe('a wrapper that cannot be asked', () => {
  it('fails the call, and is asked again by the next', async () => {
    const storage = createMemoryStorage();
    await write(storage, [ONE]);
    let isDown = true;
    const flaky: KeyWrapper = {
      ...ONE,
      unwrap: async (...given) => {
        if (isDown) throw new ProviderError('unavailable', 'KMS');
        return ONE.unwrap(...given);
      },
    };
    const { records } = open(storage, [flaky]);
    await expect(records.get('a')).rejects.toMatchObject({ name: 'ProviderError', code: 'unavailable' });
    isDown = false;
    expect((await records.get('a'))?.value).toEqual(VALUE);
  });
});

describe('the ring of data keys', () => {
  it.each([
    ['{"keys":[{"id":"a"}],"v":1}', 'corrupt'],
    ['{"keys":[null],"v":1}', 'corrupt'],
    ['{"v":1}', 'corrupt'],
    ['{"keys":[],"v":9}', 'newer'],
    ['{"keys":[],"minimum":1,"v":1}', 'newer'],
    ['{"keys":[],"v":1}', 'unreadable'],
    ['{"keys":[{"id":"a","wrapper":"one","wrapped":"!"}],"v":1}', 'unreadable'],
    ['{"keys":[{"id":"a","wrapper":"one","wrapped":"AA"}],"v":1}', 'unreadable'],
  ])('%s is %s', async (value, code) => {
    const storage = createMemoryStorage();
    await write(storage, [ONE]);
    await storage.commit([{ type: 'put', key: RING, value, if: 'any' }]);
    expect(await codeOf(open(storage, [ONE]).records.get('a'))).toBe(code);
  });

  it('wraps a key for its place in one ring alone', async () => {
    const wrapped = await ONE.wrap(new Uint8Array(32), 'a/1');
    expect(await ONE.unwrap(wrapped, 'a/1')).toEqual(new Uint8Array(32));
    expect(await ONE.unwrap(wrapped, 'a/2')).toBeUndefined();
    expect(() => createKeyWrapper(crypto, { id: 'x', key: new Uint8Array(16) })).toThrow(TypeError);
  });
});
