/** Associations of accounts through the catalogue (ASSOC-1, ASSOC-2, FIELD-7, ASSOC-3, THREAT-28). */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { createTestMethod, type TestMethod } from '../../test/create-test-method.js';

type Body = Readonly<Record<string, unknown>>;

const account = '111111111111';
const role = `arn:aws:iam::${account}:role/reader`;
const write = (test: TestMethod, body: Body, id = account) =>
  answerOf(test.host('config.sts.write', { account_id: id }, body));
const read = async (test: TestMethod, id = account) => (await test.host('config.sts.read', { account_id: id })).data;

describe('the association of an account', () => {
  it.each<[string, Body, Body]>([
    ['a role', { sts_role: role }, { sts_role: role }],
    [
      'a role with a path',
      { sts_role: `arn:aws:iam::${account}:role/a/b` },
      { sts_role: `arn:aws:iam::${account}:role/a/b` },
    ],
    [
      'with an external id (ASSOC-3)',
      { sts_role: role, external_id: 'x:1/2' },
      { sts_role: role, external_id: 'x:1/2' },
    ],
    ['with an empty external id', { sts_role: role, external_id: '' }, { sts_role: role }],
  ])('is stored and shown: %s', async (_name, body, shown) => {
    const test = createTestMethod();
    expect(await write(test, body)).toBe('204');
    expect(await read(test)).toEqual(shown);
    expect(await write(test, shown)).toBe('204');
    expect(await read(test)).toEqual(shown);
  });

  it.each<[string, Body, string, string?]>([
    ['no role', {}, 'field_missing'],
    ['an empty role', { sts_role: '' }, 'field_invalid'],
    ['a role text beyond all bounds', { sts_role: 'x'.repeat(2049) }, 'field_invalid'],
    ['an external id of one character', { sts_role: role, external_id: 'x' }, 'field_invalid'],
    ['an external id with a space', { sts_role: role, external_id: 'x y' }, 'field_invalid'],
    ['THREAT-28: an account id of 11 digits', { sts_role: role }, 'field_invalid', '11111111111'],
    ['THREAT-28: an account id of 13 digits', { sts_role: role }, 'field_invalid', '1111111111111'],
    ['a path that names nothing', { sts_role: role }, 'not_found', '../config'],
  ])('is refused: %s', async (_name, body, code, id = account) => {
    const test = createTestMethod();
    expect(await write(test, body, id)).toBe(code);
    expect((await test.host('config.sts.list')).data).toEqual({ keys: [] });
  });

  it('takes any text for the role and any name for the account, as its users expect', async () => {
    const test = createTestMethod();
    const text = 'arn:aws:iam:account1:role/myRole';
    expect(await write(test, { sts_role: text }, 'account1')).toBe('204');
    expect(await read(test, 'account1')).toEqual({ sts_role: text });
  });

  it('is updated by what is sent, and only by that', async () => {
    const test = createTestMethod();
    await write(test, { sts_role: role, external_id: 'one' });
    expect(await write(test, {})).toBe('204');
    expect(await write(test, { sts_role: '' })).toBe('field_invalid');
    expect(await read(test)).toEqual({ sts_role: role, external_id: 'one' });
    await write(test, { external_id: '' });
    expect(await read(test)).toEqual({ sts_role: role });
  });

  it('is listed, and deleted more than once', async () => {
    const test = createTestMethod();
    for (const id of ['222222222222', account]) await write(test, { sts_role: `arn:aws:iam::${id}:role/r` }, id);
    expect((await test.host('config.sts.list')).data).toEqual({ keys: [account, '222222222222'] });
    for (const _ of [1, 2]) {
      expect(await answerOf(test.host('config.sts.delete', { account_id: '222222222222' }))).toBe('204');
    }
    expect(await answerOf(test.host('config.sts.read', { account_id: '222222222222' }))).toBe('not_found');
  });

  it('that changed is announced to provider adapters, which drop assumed clients (THREAT-28)', async () => {
    let heard = 0;
    const test = createTestMethod({
      options: {
        onProviderConfigChange: () => {
          heard += 1;
        },
      },
    });
    await write(test, { sts_role: role });
    await test.host('config.sts.delete', { account_id: account });
    expect(heard).toBe(2);
  });
});
