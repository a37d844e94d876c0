/** Records that a newer version wrote (STORE-5): refused, kept, never half-read. */
import { RECORD_FORMAT } from '@postern/kernel';
import { describe, expect, it } from 'vitest';
import { codeOf, createTestMethod, DAY, START, type TestMethod } from '../../test/create-test-method.js';

/** What a newer version may have made of a record: a member that this one does not know, or another format. */
const NEWER: readonly [string, (record: Readonly<Record<string, unknown>>) => object][] = [
  ['a member that this version does not know', (record) => ({ bound_tpm: ['key-1'], ...record })],
  ['a newer format', (record) => ({ ...record, v: RECORD_FORMAT + 1 })],
];

async function rewrite(test: TestMethod, key: string, change: (typeof NEWER)[number][1]): Promise<string> {
  const stored = await test.memory.get(key);
  if (stored === undefined) throw new TypeError(`nothing at ${key}`);
  const value = JSON.stringify(change(JSON.parse(stored.value)));
  await test.memory.commit([{ type: 'put', key, value, expiresAt: stored.expiresAt, if: 'present' }]);
  return value;
}

describe.each(NEWER)('O3: a record with %s', (_name, change) => {
  it('of a role fails reads, writes and logins, and stays as it is', async () => {
    const test = createTestMethod();
    const instance = test.cloud.launchInstance();
    await test.putRole();
    await test.login(instance);
    const value = await rewrite(test, 'postern/auth/roles/r', change);
    expect(await codeOf(test.login(instance))).toBe('record_newer');
    expect(await codeOf(test.host('role.read', { role: 'r' }))).toBe('record_newer');
    expect(await codeOf(test.host('role.write', { role: 'r' }, { token_policies: 'other' }))).toBe('record_newer');
    expect((await test.memory.get('postern/auth/roles/r'))?.value).toBe(value);
    expect((await test.host('role.list')).data).toEqual({ keys: ['r'] });
  });

  it('of the client configuration fails its write, and stays as it is', async () => {
    const test = createTestMethod();
    await test.host('config.client.write', {}, { access_key: 'AKIAEXAMPLE', secret_key: 'secret' });
    const value = await rewrite(test, 'postern/auth/config/client', change);
    expect(await codeOf(test.host('config.client.write', {}, { max_retries: 2 }))).toBe('record_newer');
    expect((await test.memory.get('postern/auth/config/client'))?.value).toBe(value);
  });

  it('of a token does not open anything', async () => {
    const test = createTestMethod();
    await test.putRole();
    const { client_token: token } = await test.login(test.cloud.launchInstance());
    const [accessor] = await test.tokens();
    await rewrite(test, `postern/auth/tokens/${accessor}`, change);
    expect(await codeOf(test.call('token.lookup-self', { token }))).toBe('record_newer');
  });

  it('of the access list is not tidied away, and counted as failed', async () => {
    const test = createTestMethod();
    await test.putEntry('i-1', { expiresAt: START - 30 * DAY });
    await test.putEntry('i-2', { expiresAt: START - 30 * DAY });
    const value = await rewrite(test, 'postern/auth/access-list/i-1', change);
    await test.host('tidy.identity-accesslist');
    await test.method.settled();
    expect((await test.memory.get('postern/auth/access-list/i-1'))?.value).toBe(value);
    const { data } = await test.host('tidy.status');
    expect(data?.['identity-accesslist']).toMatchObject({ removed: 1, failed: 1 });
  });
});

it('O3: says which record it is and what to do, and shows nothing of it', async () => {
  const test = createTestMethod();
  await test.putRole();
  await rewrite(test, 'postern/auth/roles/r', (record) => ({ canary: 'canary', ...record }));
  const error: unknown = await test.host('role.read', { role: 'r' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'record_newer', kind: 'unavailable' });
  expect(String(error)).toContain('postern/auth/roles/r was written by a newer version');
  expect(String(error)).not.toContain('canary');
});

it('O3: records are written in the format that the host asks for', async () => {
  let format = 1;
  const test = createTestMethod({ options: { recordFormat: () => format } });
  const formatOf = async (key: string) => JSON.parse((await test.memory.get(key))?.value ?? '{}').v;
  await test.host('role.write', { role: 'a' }, { auth_type: 'ec2', bound_ami_id: 'ami-1' });
  expect(await formatOf('postern/auth/roles/a')).toBe(1);
  format = RECORD_FORMAT;
  await test.host('role.write', { role: 'a' }, { bound_ami_id: 'ami-2' });
  expect(await formatOf('postern/auth/roles/a')).toBe(RECORD_FORMAT);
});
