/** Reading, listing and deleting roles, and their names (ROLE-2, WIRE-8, WIRE-10, ROLE-13, ROLE-14). */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { createTestMethod } from '../../test/create-test-method.js';

const ec2 = { auth_type: 'ec2', bound_ami_id: 'ami-1' };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('reading a role', () => {
  it('shows every field with its default, unset lists as empty ones (ROLE-13)', async () => {
    const { host } = createTestMethod();
    await host('role.write', { role: 'ec2min' }, ec2);
    const { data } = await host('role.read', { role: 'ec2min' });
    expect(data).toEqual({
      allow_instance_migration: false,
      auth_type: 'ec2',
      bound_account_id: [],
      bound_ami_id: ['ami-1'],
      bound_ec2_instance_id: [],
      bound_iam_instance_profile_arn: [],
      bound_iam_principal_arn: [],
      bound_iam_principal_id: [],
      bound_iam_role_arn: [],
      bound_region: [],
      bound_subnet_id: [],
      bound_vpc_id: [],
      disallow_reauthentication: false,
      inferred_aws_region: '',
      inferred_entity_type: '',
      max_document_age: 0,
      require_inferred_profile: null,
      resolve_cloud_unique_ids: true,
      role_id: expect.stringMatching(UUID),
      role_tag: '',
      token_bound_cidrs: [],
      token_explicit_max_ttl: 0,
      token_max_ttl: 0,
      token_no_default_policy: false,
      token_num_uses: 0,
      token_period: 0,
      token_policies: [],
      token_ttl: 0,
      token_type: 'default',
    });
  });

  it('never shows the key of its tags', async () => {
    const { host, inside } = createTestMethod();
    await host('role.write', { role: 'r' }, ec2);
    const key = (await inside.collections.roles.get('r'))?.value.hmacKey ?? '';
    expect(key).toMatch(UUID);
    expect(JSON.stringify(await host('role.read', { role: 'r' }))).not.toContain(key);
  });

  it('takes any casing of the name', async () => {
    const { host } = createTestMethod();
    await host('role.write', { role: 'Dev' }, ec2);
    const read = await host('role.read', { role: 'dEV' });
    expect(read).toEqual(await host('role.read', { role: 'dev' }));
    expect((await host('role.list')).data).toEqual({ keys: ['dev'] });
    await host('role.delete', { role: 'DEV' });
    expect(await answerOf(host('role.read', { role: 'dev' }))).toBe('not_found');
  });

  it('finds nothing where nothing is', async () => {
    const { host } = createTestMethod();
    expect(await answerOf(host('role.read', { role: 'missing' }))).toBe('not_found');
  });
});

describe('the identity of a role', () => {
  it('stays across updates and is new after delete and create', async () => {
    const { host, inside } = createTestMethod();
    const stored = async () => (await inside.collections.roles.get('r'))?.value;
    await host('role.write', { role: 'r' }, ec2);
    const first = await stored();
    await host('role.write', { role: 'r' }, { role_tag: 'k', role_id: 'mine' });
    expect(await stored()).toMatchObject({ roleId: first?.roleId, hmacKey: first?.hmacKey });
    await host('role.delete', { role: 'r' });
    await host('role.write', { role: 'r' }, ec2);
    const second = await stored();
    expect(new Set([first?.roleId, second?.roleId, first?.hmacKey, second?.hmacKey]).size).toBe(4);
  });
});

describe('names', () => {
  it.each(['a.b-c_d', '__proto__', 'constructor', 'toString', 'ami-0abc', 'x'.repeat(176)])(
    'takes the name %s (THREAT-38)',
    async (role) => {
      const { host } = createTestMethod();
      expect(await answerOf(host('role.write', { role }, ec2))).toBe('204');
      expect((await host('role.list')).data).toEqual({ keys: [role.toLowerCase()] });
    },
  );

  it.each(['ab-', '-x', 'a/b', '', '\u212aelvin'])('rejects the name %j (ROLE-2)', async (role) => {
    const { host } = createTestMethod();
    for (const operation of ['role.write', 'role.read', 'role.delete']) {
      expect(await answerOf(host(operation, { role }, ec2))).toBe('not_found');
    }
  });
});

describe('deleting and listing', () => {
  it('deletes what is not there', async () => {
    const { host } = createTestMethod();
    expect(await answerOf(host('role.delete', { role: 'missing' }))).toBe('204');
  });

  it('lists names in order, and none of them when there are none', async () => {
    const { host } = createTestMethod();
    expect((await host('role.list')).data).toEqual({ keys: [] });
    for (const role of ['b', 'A', 'c']) await host('role.write', { role }, ec2);
    expect((await host('role.list')).data).toEqual({ keys: ['a', 'b', 'c'] });
  });

  it('answers to the deprecated path of the list (WIRE-8)', () => {
    const { method } = createTestMethod();
    expect(method.operations.find(({ id }) => id === 'role.list')).toMatchObject({ path: 'roles', aliases: ['role'] });
  });
});

describe('many writes at once', () => {
  it('all count: each sees the one before', async () => {
    const { host } = createTestMethod();
    const bodies = ['bound_vpc_id', 'bound_subnet_id', 'bound_region', 'bound_account_id', 'bound_ec2_instance_id'].map(
      (field) => ({ auth_type: 'ec2', [field]: 'x' }),
    );
    await Promise.all(bodies.map((body) => host('role.write', { role: 'r' }, body)));
    const { data } = await host('role.read', { role: 'r' });
    for (const body of bodies) expect(data).toMatchObject({ ...body, [Object.keys(body)[1] ?? '']: ['x'] });
  });

  it('need the capability for what they do: create or update', async () => {
    const { host, method } = createTestMethod();
    const write = method.operations.find(({ id }) => id === 'role.write');
    const call = { requestId: '1', peerAddress: undefined };
    expect(await write?.exists?.({ role: 'r' }, call)).toBe(false);
    await host('role.write', { role: 'r' }, ec2);
    expect(await write?.exists?.({ role: 'R' }, call)).toBe(true);
  });
});
