/** Contract: what is put can be read, replaced and deleted. */
import assert from 'node:assert/strict';
import { type ContractDefinition, put, putAll } from './contract-case.js';

export const basicCases: readonly ContractDefinition[] = [
  {
    name: 'basic: an absent key reads as undefined, and an empty storage lists nothing',
    run: async ({ storage }) => {
      assert.equal(await storage.get('a'), undefined);
      assert.deepEqual(await storage.getMany(['a', 'b']), [undefined, undefined]);
      assert.deepEqual(await storage.list('', { limit: 10 }), { items: [], next: undefined });
      assert.deepEqual(await storage.listExpired('', 1e15, { limit: 10 }), { items: [], next: undefined });
    },
  },
  {
    name: 'basic: a record reads back with its key, value, version and expiry',
    run: async ({ storage }) => {
      const version = await put(storage, 'a', 'one', 1_700_000_000_123);
      const expected = { key: 'a', value: 'one', version, expiresAt: 1_700_000_000_123 };
      assert.deepEqual({ ...(await storage.get('a')) }, expected);
      const page = await storage.list('', { limit: 1, values: true });
      assert.deepEqual({ ...page.items[0]?.record }, expected);
    },
  },
  {
    name: 'basic: a put replaces the value, and without an expiry clears it',
    run: async ({ storage }) => {
      const first = await put(storage, 'a', 'one', 5);
      const second = await put(storage, 'a', 'two');
      assert.notEqual(second, first);
      const expected = { key: 'a', value: 'two', version: second, expiresAt: undefined };
      assert.deepEqual({ ...(await storage.get('a')) }, expected);
      assert.deepEqual((await storage.listExpired('', 1e15, { limit: 10 })).items, []);
    },
  },
  {
    name: 'basic: a deleted key is absent everywhere, and deleting it again succeeds',
    run: async ({ storage }) => {
      await put(storage, 'a', 'one', 5);
      const { versions } = await storage.commit([{ type: 'delete', key: 'a', if: 'any' }]);
      assert.deepEqual(versions, [undefined]);
      assert.equal(await storage.get('a'), undefined);
      assert.deepEqual((await storage.list('', { limit: 10 })).items, []);
      assert.deepEqual((await storage.listExpired('', 1e15, { limit: 10 })).items, []);
      await storage.commit([{ type: 'delete', key: 'a', if: 'any' }]);
    },
  },
  {
    name: 'basic: getMany answers key by key in the order asked, one key twice if asked twice, no keys with nothing',
    run: async ({ storage }) => {
      await putAll(storage, { a: '1', b: '2' });
      const records = await storage.getMany(['b', 'missing', 'a', 'b']);
      assert.deepEqual(
        records.map((record) => record?.value),
        ['2', undefined, '1', '2'],
      );
      assert.deepEqual(await storage.getMany([]), []);
    },
  },
  {
    name: 'basic: an expiry in the past neither hides nor removes a record',
    run: async ({ storage }) => {
      await put(storage, 'a', 'one', 1);
      assert.equal((await storage.get('a'))?.value, 'one');
      assert.equal((await storage.list('', { limit: 10 })).items.length, 1);
    },
  },
  {
    name: 'basic: empty values, U+0000 and a leading byte order mark are kept as they are',
    run: async ({ storage }) => {
      const values = { empty: '', zero: 'a\u0000b\u0000', bom: '\uFEFFtext', line: '\r\n\u2028' };
      await putAll(storage, values);
      for (const [key, value] of Object.entries(values)) assert.equal((await storage.get(key))?.value, value);
    },
  },
  {
    name: 'basic: a later change of the caller’s operations changes nothing that was committed',
    run: async ({ storage }) => {
      const operation = { type: 'put' as const, key: 'a', value: 'one', if: 'absent' as const };
      const operations = [operation];
      const committed = storage.commit(operations);
      operation.value = 'two';
      operations.length = 0;
      assert.equal((await committed).versions.length, 1);
      assert.equal((await storage.get('a'))?.value, 'one');
    },
  },
  {
    name: 'basic: data outlive the storage object',
    needsDurability: true,
    run: async ({ storage, reopen }) => {
      const version = await put(storage, 'a\u0000\u{1F600}', 'one', 7);
      await putAll(storage, { b: '2', c: '3' });
      await storage.commit([{ type: 'delete', key: 'b', if: 'present' }]);
      const reopened = await reopen();
      const record = await reopened.get('a\u0000\u{1F600}');
      assert.deepEqual({ ...record }, { key: 'a\u0000\u{1F600}', value: 'one', version, expiresAt: 7 });
      assert.equal(await reopened.get('b'), undefined);
      assert.equal((await reopened.listExpired('', 8, { limit: 10 })).items.length, 1);
    },
  },
];
