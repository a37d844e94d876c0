/** Deletions by an operator, delivered twice: what was written in between stays. And of what cannot be read. */
import type { Storage } from '@postern/ports';
import { createFaultStorage } from '@postern/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, type TestMethod } from '../../test/create-test-method.js';
import { interceptCommits } from '../../test/intercept-commits.js';
import { taggedWorld, tagText } from '../../test/role-tags.js';

/** The first deletion of a record is delivered again, after `between`: the network repeats it. */
function deliverTwice(inner: Storage, between: () => Promise<unknown>): Storage {
  let isRepeated = false;
  return interceptCommits(inner, async (operations, options) => {
    const result = await inner.commit(operations, options);
    if (!isRepeated && operations.some(({ type }) => type === 'delete')) {
      isRepeated = true;
      await between();
      await inner.commit(operations, options).catch(() => undefined);
    }
    return result;
  });
}

const ec2 = { auth_type: 'ec2', bound_ami_id: 'ami-1' };
const policy = { policy: 'path "auth/token/lookup-self" { capabilities = ["read"] }' };

interface Case {
  readonly name: string;
  readonly params: () => Promise<Readonly<Record<string, string>>>;
  readonly write: (test: TestMethod, params: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly folder: string;
}

const CASES: readonly Case[] = [
  {
    name: 'role',
    folder: 'roles/',
    params: async () => ({ role: 'web' }),
    write: (test, params) => test.host('role.write', params, ec2),
  },
  {
    name: 'deny-list',
    folder: 'deny-list/',
    params: async () => ({ role_tag: await tagText() }),
    write: (test, params) => test.host('deny-list.write', params),
  },
  {
    name: 'access-list',
    folder: 'access-list/',
    params: async () => ({ instance_id: 'i-1' }),
    write: (test) => test.putEntry('i-1'),
  },
  {
    name: 'policy',
    folder: 'policies/',
    params: async () => ({ name: 'ops' }),
    write: (test, params) => test.host('policy.write', params, policy),
  },
  {
    name: 'config.sts',
    folder: 'sts-associations/',
    params: async () => ({ account_id: '222222222222' }),
    write: (test, params) => test.host('config.sts.write', params, { sts_role: 'arn:aws:iam::222222222222:role/x' }),
  },
];

async function keysOf({ memory }: TestMethod, folder: string): Promise<readonly string[]> {
  const { items } = await memory.list(`postern/auth/${folder}`, { limit: 10 });
  return items.map(({ key }) => key);
}

describe.each(CASES)('the deletion of a record: $name', ({ name, params: makeParams, write, folder }) => {
  it('that is delivered twice leaves what was written in between', async () => {
    const params = await makeParams();
    const first = await taggedWorld();
    await write(first, params);
    const written = await keysOf(first, folder);
    expect(written).not.toEqual([]);
    const storage = (inner: Storage) => deliverTwice(inner, () => write(first, params));
    await createTestMethod({ beside: first, storage }).host(`${name}.delete`, params);
    expect(await keysOf(first, folder)).toEqual(written);
  });

  it('takes a record that a conflict met, and one that cannot be read; one that is gone is no failure', async () => {
    const params = await makeParams();
    const first = await taggedWorld();
    const before = await keysOf(first, folder);
    await write(first, params);
    const [key = ''] = (await keysOf(first, folder)).filter((each) => !before.includes(each));
    await first.memory.commit([{ type: 'put', key, value: 'unreadable', if: 'present' }]);
    const storage = (inner: Storage) => {
      const faulty = createFaultStorage(inner);
      faulty.failNextCommit('conflict');
      return faulty;
    };
    const other = createTestMethod({ beside: first, storage });
    expect(await codeOf(other.host(`${name}.delete`, params))).toBe('allowed');
    expect(await keysOf(first, folder)).toEqual(before);
    expect(await codeOf(other.host(`${name}.delete`, params))).toBe('allowed');
  });
});
