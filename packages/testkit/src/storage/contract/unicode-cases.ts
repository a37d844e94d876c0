/** Contract: keys are any well-formed text, exactly as given, ordered by their UTF-8 bytes. */
import assert from 'node:assert/strict';
import { allKeys, type ContractDefinition, put, putMany, valuesOf } from './contract-case.js';

/** In byte order. UTF-16 order would put the astral characters before U+E000 and U+FF5E. */
const ordered = [
  '\u0000',
  '\u0001',
  ' ',
  'A',
  'Z',
  'a',
  'a\u0000',
  'a\u0301',
  'z',
  '\u007F',
  '\u0080',
  '\u00E1',
  '\u07FF',
  '\u0800',
  '\u4E2D\u6587',
  '\uD7FF',
  '\uE000',
  '\uFEFF',
  '\uFF5E',
  '\uFFFF',
  '\u{10000}',
  '\u{1F600}',
  '\u{1F600}\u200D',
  '\u{10FFFF}',
];

export const unicodeCases: readonly ContractDefinition[] = [
  {
    name: 'unicode: keys are listed in the order of their UTF-8 bytes, astral characters after the whole BMP',
    run: async ({ storage }) => {
      assert.deepEqual(
        [...ordered].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
        ordered,
      );
      await putMany(
        storage,
        [...ordered].reverse().map((key) => ({ key, value: `value of ${key}` })),
      );
      for (const limit of [1, 3, 1000]) assert.deepEqual(await allKeys(storage, '', limit), ordered);
      assert.deepEqual(
        await valuesOf(storage, ordered),
        ordered.map((key) => `value of ${key}`),
      );
    },
  },
  {
    name: 'unicode: a walk can start after any key',
    run: async ({ storage }) => {
      await putMany(
        storage,
        ordered.map((key) => ({ key, value: 'v' })),
      );
      for (const [index, after] of ordered.entries()) {
        const page = await storage.list('', { after, limit: 1000 });
        assert.deepEqual(
          page.items.map(({ key }) => key),
          ordered.slice(index + 1),
        );
      }
    },
  },
  {
    name: 'unicode: nothing is normalised, folded or trimmed: keys that look alike are apart',
    run: async ({ storage }) => {
      const alike = ['\u00E9', 'e\u0301', '\u00C9', 'e', 'E', ' e', 'e ', '\uFEFFe', 'e\u0000', 'e\u200B'];
      for (const key of alike) {
        await storage.commit([{ type: 'put', key, value: `value of ${key}`, if: 'absent' }]);
      }
      assert.deepEqual(
        await valuesOf(storage, alike),
        alike.map((key) => `value of ${key}`),
      );
    },
  },
  {
    name: 'unicode: a prefix is text, whatever its last character is',
    run: async ({ storage }) => {
      for (const prefix of ['\u{10FFFF}', '\uFFFF', '\u007F', '\u0000', '%', '_', '*', '\\', '\u{1F600}']) {
        await put(storage, `x${prefix}`, 'v');
        await put(storage, `x${prefix}y`, 'v');
        assert.deepEqual(await allKeys(storage, `x${prefix}`, 1), [`x${prefix}`, `x${prefix}y`]);
      }
    },
  },
];
