/** Lists in pages (WIRE-30), one after the other until nothing is left. */
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, type TestMethod } from '../../test/create-test-method.js';
import { taggedWorld, tagText } from '../../test/role-tags.js';
import { MAX_LISTED } from './list-page.js';

const ec2 = { auth_type: 'ec2', bound_ami_id: 'ami-1' };
const NAMES = ['a', 'a-b', 'ab', 'b', 'c'];
const ACCOUNTS = NAMES.map((_, at) => String(222222222222 + at));

interface Case {
  readonly operation: string;
  readonly prepare: () => Promise<TestMethod>;
  readonly keys: readonly string[];
}

const made = async (fill: (test: TestMethod) => Promise<unknown>): Promise<TestMethod> => {
  const test = createTestMethod();
  await fill(test);
  return test;
};
const each = (names: readonly string[], write: (name: string) => Promise<unknown>) => Promise.all(names.map(write));

const CASES: readonly Case[] = [
  {
    operation: 'role.list',
    prepare: () => made((test) => each(NAMES, (role) => test.host('role.write', { role }, ec2))),
    keys: NAMES,
  },
  {
    operation: 'access-list.list',
    prepare: () => made((test) => each(NAMES, (name) => test.putEntry(`i-${name}`))),
    keys: NAMES.map((name) => `i-${name}`),
  },
  {
    operation: 'config.sts.list',
    prepare: () =>
      made((test) =>
        each(ACCOUNTS, (account_id) =>
          test.host('config.sts.write', { account_id }, { sts_role: `arn:aws:iam::${account_id}:role/x` }),
        ),
      ),
    keys: ACCOUNTS,
  },
  {
    operation: 'policy.list',
    prepare: () =>
      made((test) =>
        each(NAMES, (name) =>
          test.host('policy.write', { name }, { policy: 'path "auth/token/lookup-self" { capabilities = ["read"] }' }),
        ),
      ),
    keys: ['a', 'a-b', 'ab', 'b', 'c', 'root'],
  },
];

async function keysOf(test: TestMethod, operation: string, fields: Readonly<Record<string, unknown>> = {}) {
  const { data, warnings } = await test.host(operation, {}, fields);
  expect(warnings).toBeUndefined();
  return data?.['keys'] as readonly string[];
}

/** @returns the pages, each as long as asked for but the last. */
async function pagesOf(test: TestMethod, operation: string, limit: number): Promise<readonly string[]> {
  const all: string[] = [];
  for (let after = ''; ; after = all.at(-1) ?? '') {
    const keys = await keysOf(test, operation, { after, limit });
    all.push(...keys);
    if (keys.length < limit) return all;
  }
}

describe.each(CASES)('$operation', ({ operation, prepare, keys }) => {
  it('is the same whole and in pages', async () => {
    const test = await prepare();
    const all = await keysOf(test, operation);
    expect(all).toEqual(keys);
    for (const limit of [1, 2, 5, 100]) expect(await pagesOf(test, operation, limit)).toEqual(all);
    for (const limit of [0, -1]) expect(await keysOf(test, operation, { limit })).toEqual(all);
  });

  it('goes on after what is not in the list, and ends after the last', async () => {
    const test = await prepare();
    const all = await keysOf(test, operation);
    const [first = '', second = ''] = all;
    expect(await keysOf(test, operation, { after: `${first}!`, limit: 1 })).toEqual([second]);
    expect(await keysOf(test, operation, { after: all.at(-1) })).toEqual([]);
  });
});

it('deny-list.list goes on after a tag, in an order of its own', async () => {
  const test = await taggedWorld();
  const tags = await Promise.all([1, 2, 3].map((byte) => tagText({ nonce: new Uint8Array(8).fill(byte) })));
  for (const role_tag of tags) await test.host('deny-list.write', { role_tag });
  expect([...(await pagesOf(test, 'deny-list.list', 2))].sort()).toEqual([...tags].sort());
  expect(await pagesOf(test, 'deny-list.list', 1)).toEqual(await keysOf(test, 'deny-list.list'));
});

it.each(['x'.repeat(513), '\ud800', 'ä'.repeat(257)])('after %.8j is rejected: no part of a key', async (after) => {
  const test = createTestMethod();
  for (const operation of ['role.list', 'token.list', 'deny-list.list', 'policy.list']) {
    expect(await codeOf(test.host(operation, {}, { after }))).toBe('field_invalid');
  }
});

it('an answer has a bound of its own, and says where to go on', async () => {
  const test = createTestMethod();
  const names = Array.from({ length: MAX_LISTED + 1 }, (_, at) => `i-${String(at).padStart(6, '0')}`);
  for (let at = 0; at < names.length; at += 25) {
    await test.memory.commit(
      names
        .slice(at, at + 25)
        .map((name) => ({ type: 'put', key: `postern/auth/access-list/${name}`, value: '{}', if: 'any' })),
    );
  }
  for (const fields of [{}, { limit: 0 }, { limit: 1_000_000 }]) {
    const { data, warnings } = await test.host('access-list.list', {}, fields);
    expect(data?.['keys']).toHaveLength(MAX_LISTED);
    expect(warnings).toEqual([`there are more than ${MAX_LISTED} keys; list again with after=i-009999`]);
  }
  expect(await keysOf(test, 'access-list.list', { after: 'i-009999' })).toEqual(['i-010000']);
});
