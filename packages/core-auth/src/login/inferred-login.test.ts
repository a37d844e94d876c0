/** A login that infers an instance (INFER-1, BOUND-2, PROVIDER-1, INFER-2, INFER-5, LOGIN-7); case ids named. */
import { describe, expect, it } from 'vitest';
import { createIamWorld, OTHER_ACCOUNT } from '../../test/create-iam-world.js';
import { ACCOUNT, codeOf } from '../../test/create-test-method.js';
import type { Role } from '../roles/role.js';

const INFERS: Partial<Role> = {
  inferredEntityType: 'ec2_instance',
  inferredRegion: 'us-east-1',
  boundAmiIds: ['ami-1'],
};

async function world(role: Partial<Role> = {}, launch: { profile?: boolean; accountId?: string } = {}) {
  const test = createIamWorld();
  const account = launch.accountId === undefined ? {} : { accountId: launch.accountId };
  const instRole = test.cloud.createRole({ name: 'InstRole', path: '/rp/', ...account });
  const profile = test.cloud.createInstanceProfile({
    name: 'Prof',
    path: '/pp/',
    ...account,
    roleArns: [instRole.arn],
  });
  const instance = test.cloud.launchInstance({
    instanceId: 'i-1',
    imageId: 'ami-1',
    vpcId: 'vpc-1',
    subnetId: 'sub-1',
    ...account,
    ...(launch.profile === false ? {} : { instanceProfileArn: profile.arn }),
  });
  await test.putIamRole({ name: 'inf', ...INFERS, ...role });
  const enter = (sessionName = 'i-1', who = instRole) => test.signIn(test.sts.assumeRole(who, { sessionName }), 'inf');
  return { ...test, instRole, profile, instance, enter };
}

describe('an inferring login', () => {
  it('asks about the instance and its profile, once each, and remembers it', async () => {
    const test = await world();
    const auth = await test.enter();
    expect(test.cloud.calls.map(({ method, query }) => [method, query])).toEqual([
      ['describeInstance', { accountId: ACCOUNT, region: 'us-east-1', instanceId: 'i-1' }],
      ['rolesOfProfile', { accountId: ACCOUNT, region: 'us-east-1', instanceProfileArn: test.profile.arn }],
    ]);
    expect((await test.inside.collections.tokens.get(auth.accessor))?.value.renewal).toMatchObject({
      inferredEntityId: 'i-1',
      inferredRegion: 'us-east-1',
    });
    expect(await test.inside.collections.accessList.allIds()).toEqual([]);
    expect(test.events.at(-1)?.details).toMatchObject({ inferred_entity_id: 'i-1', inferred_aws_region: 'us-east-1' });
    expect(test.events.at(-1)?.details).not.toHaveProperty('profile_unchecked');
  });

  it('carries what was inferred where the metadata is asked for', async () => {
    const test = await world();
    const iam_metadata = ['inferred_entity_id', 'inferred_entity_type', 'inferred_aws_region'];
    await test.host('config.identity.write', {}, { iam_metadata });
    expect((await test.enter()).metadata).toEqual({
      inferred_entity_id: 'i-1',
      inferred_entity_type: 'ec2_instance',
      inferred_aws_region: 'us-east-1',
      role_id: 'id-of-r',
    });
  });

  it.each<[string, Partial<Role>, string]>([
    ['another image', { boundAmiIds: ['ami-2'] }, 'bound_ami_id_mismatch'],
    ['another account', { boundAccountIds: ['9'] }, 'bound_account_id_mismatch'],
    ['the account of the caller', { boundAccountIds: [ACCOUNT] }, 'allowed'],
    ['the region (BOUND-2)', { boundRegions: ['us-east-1'] }, 'allowed'],
    ['another region (BOUND-2)', { boundRegions: ['eu-west-1'] }, 'bound_region_mismatch'],
    ['another network', { boundVpcIds: ['vpc-2'] }, 'bound_vpc_id_mismatch'],
    ['another subnet', { boundSubnetIds: ['sub-2'] }, 'bound_subnet_id_mismatch'],
    ['another instance', { boundEc2InstanceIds: ['i-2'] }, 'bound_ec2_instance_id_mismatch'],
    ['its role', { boundIamRoleArns: [`arn:aws:iam::${ACCOUNT}:role/rp/*`] }, 'allowed'],
    ['another role', { boundIamRoleArns: [`arn:aws:iam::${ACCOUNT}:role/x/*`] }, 'bound_iam_role_arn_mismatch'],
    [
      'another profile',
      { boundIamInstanceProfileArns: [`arn:aws:iam::${ACCOUNT}:instance-profile/x/*`] },
      'bound_iam_instance_profile_arn_mismatch',
    ],
    [
      'another principal',
      { boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/Other`] },
      'bound_iam_principal_arn_mismatch',
    ],
    ['the principal too', { boundIamPrincipalArns: [`arn:aws:iam::${ACCOUNT}:role/InstRole`] }, 'allowed'],
    ['instances of another region only', { inferredRegion: 'eu-west-1' }, 'instance_not_found'],
  ])('bound to %s', async (_id, changes, code) => {
    const test = await world(changes);
    expect(await codeOf(test.enter())).toBe(code);
    expect(test.cloud.calls.filter(({ method }) => method === 'describeInstance').length).toBeLessThanOrEqual(1);
    expect(test.cloud.calls.filter(({ method }) => method === 'rolesOfProfile').length).toBeLessThanOrEqual(1);
  });

  it('takes no session that is not named after an instance', async () => {
    const test = await world();
    expect(await codeOf(test.enter('notinst'))).toBe('inferred_entity_invalid');
    expect(test.cloud.calls).toEqual([]);
  });

  it('takes no user', async () => {
    const test = await world();
    const user = test.sts.issueAccessKey(test.cloud.createUser({ name: 'u' }));
    expect(await codeOf(test.signIn(user, 'inf'))).toBe('inferred_entity_invalid');
  });

  it('takes no role that the instance does not have (INFER-2)', async () => {
    const test = await world();
    const other = test.cloud.createRole({ name: 'OtherRole' });
    expect(await codeOf(test.enter('i-1', other))).toBe('inferred_profile_mismatch');
  });

  it.each([
    ['stopped', 'instance_not_running'],
    ['terminated', 'instance_not_running'],
    ['pending', 'instance_not_running'],
  ] as const)('takes no instance that is %s', async (state, code) => {
    const test = await world();
    test.instance.setState(state);
    expect(await codeOf(test.enter())).toBe(code);
  });

  it('takes no instance that is gone', async () => {
    const test = await world();
    test.instance.vanish();
    expect(await codeOf(test.enter())).toBe('instance_not_found');
  });

  it('takes no instance without a profile', async () => {
    const test = await world({}, { profile: false });
    expect(await codeOf(test.enter())).toBe('inferred_profile_missing');
  });

  it('takes no profile that is gone or empty', async () => {
    const test = await world();
    test.profile.setRoles([]);
    expect(await codeOf(test.enter())).toBe('inferred_profile_mismatch');
    test.profile.delete();
    expect(await codeOf(test.enter())).toBe('inferred_profile_mismatch');
  });

  it('takes no profile of another account, and asks nothing about it', async () => {
    const test = await world();
    test.instance.setInstanceProfile(`arn:aws:iam::${OTHER_ACCOUNT}:instance-profile/pp/Prof`);
    expect(await codeOf(test.enter())).toBe('inferred_profile_mismatch');
    expect(test.cloud.calls.map(({ method }) => method)).toEqual(['describeInstance']);
  });

  it('looks in the account of the caller only (PROVIDER-1)', async () => {
    const test = await world();
    const names = { name: 'InstRole', path: '/rp/', accountId: OTHER_ACCOUNT };
    const impostor = test.cloud.createRole(names);
    expect(await codeOf(test.enter('i-1', impostor))).toBe('account_not_allowed');
    test.cloud.associateAccount(OTHER_ACCOUNT);
    expect(await codeOf(test.enter('i-1', impostor))).toBe('instance_not_found');
  });

  it('passes in an associated account', async () => {
    const test = await world({}, { accountId: OTHER_ACCOUNT });
    test.cloud.associateAccount(OTHER_ACCOUNT);
    expect((await test.enter()).metadata['account_id']).toBe(OTHER_ACCOUNT);
  });
});

describe('a profile that the provider denies access to (INFER-5)', () => {
  it('W4: is a denial that names the missing permission', async () => {
    const test = await world();
    test.cloud.behaviour.rolesOfProfile.deny();
    const refused = test.enter();
    await expect(refused).rejects.toMatchObject({
      code: 'inferred_profile_unknown',
      message: expect.stringContaining('iam:GetInstanceProfile'),
    });
  });

  it('W4: admits no sandbox role that names its session after an instance of another', async () => {
    const test = await world();
    const sandbox = test.cloud.createRole({ name: 'sandbox' });
    test.cloud.behaviour.rolesOfProfile.deny();
    expect(await codeOf(test.enter('i-1', sandbox))).toBe('inferred_profile_unknown');
  });

  it('admits by its name, and the audit trail says so', async () => {
    const test = await world();
    const named = test.cloud.createInstanceProfile({ name: 'InstRole', roleArns: [test.instRole.arn] });
    test.instance.setInstanceProfile(named.arn);
    test.cloud.behaviour.rolesOfProfile.deny();
    expect(await codeOf(test.enter())).toBe('allowed');
    expect(test.events.at(-1)).toMatchObject({ outcome: 'allowed', details: { profile_by_name: 'true' } });
  });

  it('admits where the role says so, and answer and audit trail say that it was not checked', async () => {
    const test = await world({ admitUncheckedProfile: true });
    test.cloud.behaviour.rolesOfProfile.deny();
    const fields = {
      ...test.sts.signLogin({ credentials: test.sts.assumeRole(test.instRole, { sessionName: 'i-1' }) }),
      role: 'inf',
    };
    const { warnings } = await test.call('login', { fields });
    expect(warnings).toEqual([expect.stringContaining('profile')]);
    expect(test.events.at(-1)).toMatchObject({ outcome: 'allowed', details: { profile_unchecked: 'true' } });
  });

  it('W4: a role that was created again is not the one in the profile', async () => {
    const uniqueId = 'AROAOTHER';
    const test = createIamWorld({
      ports: { cloud: { rolesOfProfile: async () => [{ arn: `arn:aws:iam::${ACCOUNT}:role/web`, uniqueId }] } },
    });
    const role = test.cloud.createRole({ name: 'web' });
    const { arn: instanceProfileArn } = test.cloud.createInstanceProfile({ name: 'web', roleArns: [role.arn] });
    test.cloud.launchInstance({ instanceId: 'i-1', imageId: 'ami-1', instanceProfileArn });
    await test.putIamRole({ name: 'inf', ...INFERS });
    const login = test.signIn(test.sts.assumeRole(role, { sessionName: 'i-1' }), 'inf');
    expect(await codeOf(login)).toBe('inferred_profile_mismatch');
  });

  it('is a denial where the role requires it', async () => {
    const test = await world({ requireInferredProfile: true });
    expect(await codeOf(test.enter())).toBe('allowed');
    test.cloud.behaviour.rolesOfProfile.deny();
    expect(await codeOf(test.enter())).toBe('inferred_profile_unchecked');
  });

  it('does not meet a bound on the role of the instance', async () => {
    const test = await world({ admitUncheckedProfile: true, boundIamRoleArns: [`arn:aws:iam::${ACCOUNT}:role/rp/*`] });
    test.cloud.behaviour.rolesOfProfile.deny();
    expect(await codeOf(test.enter())).toBe('provider_denied');
  });

  it.each([
    ['describeInstance', 'unavailable', 'provider_unavailable'],
    ['describeInstance', 'denied', 'provider_denied'],
    ['rolesOfProfile', 'unavailable', 'provider_unavailable'],
    ['rolesOfProfile', 'misconfigured', 'provider_misconfigured'],
  ] as const)('%s %s is no denial, and no pass', async (method, failure, code) => {
    const test = await world();
    test.cloud.behaviour[method].fail(failure);
    expect(await codeOf(test.enter())).toBe(code);
    expect(test.events.at(-1)?.outcome).toBe('unavailable');
    test.cloud.behaviour[method].restore();
    expect(await codeOf(test.enter())).toBe('allowed');
  });
});
