/** Unique ids of principals at role write (ROLE-8, PRINCIPAL-2, ROLE-9, ASSOC-4, THREAT-28). */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { ACCOUNT, createTestMethod } from '../../test/create-test-method.js';

const arn = (resource: string): string => `arn:aws:iam::${ACCOUNT}:${resource}`;
const userA = { bound_iam_principal_arn: arn('user/a') };

describe('writing a role that is bound to principals', () => {
  it('looks up each that is no pattern, in order', async () => {
    const { host, cloud } = createTestMethod();
    const a = cloud.createUser({ name: 'a' });
    const b = cloud.createRole({ name: 'b', path: '/p/' });
    const bound = [a.arn, arn('role/*'), b.arn];
    await host('role.write', { role: 'r' }, { bound_iam_principal_arn: bound });
    const { data } = await host('role.read', { role: 'r' });
    expect(data).toMatchObject({
      bound_iam_principal_arn: bound,
      bound_iam_principal_id: [a.uniqueId, b.uniqueId],
      resolve_cloud_unique_ids: true,
    });
    expect(cloud.calls.map(({ query }) => query)).toEqual([
      { partition: 'aws', accountId: ACCOUNT, type: 'user', name: 'a' },
      { partition: 'aws', accountId: ACCOUNT, type: 'role', name: 'b' },
    ]);
  });

  it('looks up nothing where resolving is off', async () => {
    const { host, cloud } = createTestMethod();
    await host('role.write', { role: 'r' }, { ...userA, resolve_cloud_unique_ids: false });
    expect((await host('role.read', { role: 'r' })).data).toMatchObject({ bound_iam_principal_id: [] });
    expect(cloud.calls).toEqual([]);
  });

  it('looks up nothing for a role that is invalid anyway', async () => {
    const { host, cloud } = createTestMethod();
    cloud.createUser({ name: 'a' });
    expect(await answerOf(host('role.write', { role: 'r' }, { ...userA, role_tag: 'k' }))).toBe(
      'role_option_not_applicable',
    );
    expect(cloud.calls).toEqual([]);
  });

  it('again refreshes their ids', async () => {
    const { host, cloud } = createTestMethod();
    const user = cloud.createUser({ name: 'a' });
    await host('role.write', { role: 'r' }, userA);
    user.recreate();
    await host('role.write', { role: 'r' }, { token_ttl: 60 });
    const before = (await host('role.read', { role: 'r' })).data?.['bound_iam_principal_id'];
    expect(before).not.toEqual([user.uniqueId]);
    await host('role.write', { role: 'r' }, userA);
    expect((await host('role.read', { role: 'r' })).data).toMatchObject({ bound_iam_principal_id: [user.uniqueId] });
  });

  it('turned from false to true looks them up (ROLE-8)', async () => {
    const { host, cloud } = createTestMethod();
    const user = cloud.createUser({ name: 'a' });
    await host('role.write', { role: 'r' }, { ...userA, resolve_cloud_unique_ids: false });
    await host('role.write', { role: 'r' }, { resolve_cloud_unique_ids: true });
    expect((await host('role.read', { role: 'r' })).data).toMatchObject({ bound_iam_principal_id: [user.uniqueId] });
  });

  it('stays false where that fails', async () => {
    const { host } = createTestMethod();
    await host(
      'role.write',
      { role: 'r' },
      { bound_iam_principal_arn: arn('user/bad'), resolve_cloud_unique_ids: false },
    );
    const write = host('role.write', { role: 'r' }, { resolve_cloud_unique_ids: true });
    expect(await answerOf(write)).toBe('principal_unresolvable');
    expect((await host('role.read', { role: 'r' })).data).toMatchObject({ resolve_cloud_unique_ids: false });
  });
});

describe('a principal that cannot be resolved', () => {
  it.each([
    ['there is none', arn('user/none'), 'principal_unresolvable'],
    ['its partition is unknown', `arn:aws-xx:iam::${ACCOUNT}:role/R`, 'principal_unresolvable'],
    ['its partition is another', `arn:aws-cn:iam::${ACCOUNT}:role/R`, 'principal_unresolvable'],
    ['it is an assumed role', `arn:aws:sts::${ACCOUNT}:assumed-role/R/x`, 'principal_arn_invalid'],
    ['its path is another', arn('role/wrong/R'), 'principal_unresolvable'],
    ['its path is missing', arn('role/R'), 'principal_unresolvable'],
    ['its name has another case', arn('role/p/r'), 'principal_unresolvable'],
    ['it is a user, not a role', arn('user/p/R'), 'principal_unresolvable'],
    ['its account is none of ours (ASSOC-4)', 'arn:aws:iam::999999999999:role/p/R', 'account_not_allowed'],
  ])('is refused: %s', async (_name, bound, code) => {
    const { host, cloud } = createTestMethod();
    cloud.createRole({ name: 'R', path: '/p/' });
    expect(await answerOf(host('role.write', { role: 'r' }, { bound_iam_principal_arn: bound }))).toBe(code);
    expect(await answerOf(host('role.read', { role: 'r' }))).toBe('not_found');
  });

  it.each([
    ['unavailable', 'provider_unavailable'],
    ['denied', 'provider_denied'],
    ['misconfigured', 'provider_misconfigured'],
  ] as const)('because the provider is %s is no denial, and nothing is stored', async (failure, code) => {
    const { host, cloud } = createTestMethod();
    cloud.createUser({ name: 'a' });
    cloud.behaviour.describePrincipal.fail(failure, { times: 1 });
    expect(await answerOf(host('role.write', { role: 'r' }, userA))).toBe(code);
    expect(await answerOf(host('role.read', { role: 'r' }))).toBe('not_found');
    expect(await answerOf(host('role.write', { role: 'r' }, userA))).toBe('204');
  });

  it('says when to come again', async () => {
    const { host, cloud } = createTestMethod();
    cloud.behaviour.describePrincipal.throttle({ retryAfterSeconds: 9 });
    await expect(host('role.write', { role: 'r' }, userA)).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterSeconds: 9,
    });
  });
});
