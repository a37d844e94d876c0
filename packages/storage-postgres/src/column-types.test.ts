/** Columns read the same whatever the host has told the driver's own table. */
import { types } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { columnTypes } from './column-types.js';
import { settingsOf } from './settings.js';

const INT8 = 20;
const original = types.getTypeParser(INT8);
beforeAll(() => types.setTypeParser(INT8, Number));
afterAll(() => types.setTypeParser(INT8, original));

it.each([
  ['boolean', 16, 't', true],
  ['boolean', 16, 'f', false],
  ['bytea', 17, '\\x00ff61', Buffer.of(0, 255, 97)],
  ['bytea', 17, '\\x', Buffer.of()],
  ['bytea, escaped', 17, 'a\\000\\377\\\\x', Buffer.of(97, 0, 255, 92, 120)],
  ['bigint', INT8, '9007199254740993', '9007199254740993'],
  ['integer', 23, '-5', -5],
  ['integer[]', 1007, '{}', []],
  ['integer[]', 1007, '{1,3}', [1, 3]],
  ['bigint[]', 1016, '{9007199254740993,NULL}', ['9007199254740993', null]],
  ['text', 25, '{a}', '{a}'],
])('%s (%i) %j', (_name, id, text, expected) => {
  expect(columnTypes.getTypeParser(id)(text)).toEqual(expected);
});

it('go to every connection', () => {
  expect(settingsOf({}).pool.types).toBe(columnTypes);
});
