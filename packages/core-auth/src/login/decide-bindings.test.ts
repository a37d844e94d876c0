/** Every instance constraint, met, not met and without the fact it needs; case ids named. */
import type { InstanceFacts } from '@postern/ports';
import { describe, expect, it } from 'vitest';
import { type BindingFacts, decideBindings, type InstanceBindings, needsProfileRoles } from './decide-bindings.js';

const ACCOUNT = '111111111111';
const PROFILE = `arn:aws:iam::${ACCOUNT}:instance-profile/pp/Prof`;
const ROLE = `arn:aws:iam::${ACCOUNT}:role/rp/InstRole`;

const instance: InstanceFacts = {
  instanceId: 'i-1',
  accountId: ACCOUNT,
  region: 'us-east-1',
  state: 'running',
  imageId: 'ami-1',
  vpcId: 'vpc-1',
  subnetId: 'sub-1',
  instanceProfileArn: PROFILE,
  tags: new Map(),
};
const bare: InstanceFacts = {
  ...instance,
  imageId: undefined,
  vpcId: undefined,
  subnetId: undefined,
  instanceProfileArn: undefined,
};

const facts = (changes: Partial<BindingFacts> = {}): BindingFacts => ({
  proven: { accountId: ACCOUNT, region: 'us-east-1' },
  instance,
  profileRoleArns: [ROLE],
  ...changes,
});

const bound = (changes: Partial<InstanceBindings>): InstanceBindings => ({
  boundAccountIds: [],
  boundAmiIds: [],
  boundRegions: [],
  boundVpcIds: [],
  boundSubnetIds: [],
  boundIamRoleArns: [],
  boundIamInstanceProfileArns: [],
  boundEc2InstanceIds: [],
  ...changes,
});

describe('an instance meets', () => {
  it.each<[string, Partial<InstanceBindings>]>([
    ['no constraint at all', {}],
    ['its image', { boundAmiIds: ['ami-1'] }],
    ['any one of several images', { boundAmiIds: ['wrong1', 'ami-1', 'wrong2'] }],
    ['its account', { boundAccountIds: ['x', ACCOUNT] }],
    ['its region', { boundRegions: ['us-east-1'] }],
    ['its id', { boundEc2InstanceIds: ['i-2', 'i-1'] }],
    ['its network', { boundVpcIds: ['vpc-1'], boundSubnetIds: ['sub-1'] }],
    ['its profile in full', { boundIamInstanceProfileArns: [PROFILE] }],
    ['its profile by prefix', { boundIamInstanceProfileArns: [`${PROFILE.slice(0, -1)}*`] }],
    ['its role in full', { boundIamRoleArns: [ROLE] }],
    ['its role by prefix', { boundIamRoleArns: [`arn:aws:iam::${ACCOUNT}:role/rp/*`] }],
    ['the widest pattern', { boundIamRoleArns: [`arn:aws:iam::${ACCOUNT}:*`] }],
  ])('%s', (_name, bindings) => {
    expect(decideBindings(bound(bindings), facts())).toEqual({ allow: true });
  });
});

describe('an instance does not meet', () => {
  it.each<[string, Partial<InstanceBindings>, string]>([
    ['another image', { boundAmiIds: ['ami-2'] }, 'bound_ami_id_mismatch'],
    ['an image with a star', { boundAmiIds: ['ami-*'] }, 'bound_ami_id_mismatch'],
    ['another account', { boundAccountIds: ['222222222222'] }, 'bound_account_id_mismatch'],
    ['another region', { boundRegions: ['eu-west-1'] }, 'bound_region_mismatch'],
    ['its region in other case', { boundRegions: ['US-EAST-1'] }, 'bound_region_mismatch'],
    ['another network', { boundVpcIds: ['x'] }, 'bound_vpc_id_mismatch'],
    ['another subnet', { boundSubnetIds: ['x'] }, 'bound_subnet_id_mismatch'],
    ['another id', { boundEc2InstanceIds: ['i-2'] }, 'bound_ec2_instance_id_mismatch'],
    [
      'the start of its profile without a star',
      { boundIamInstanceProfileArns: [PROFILE.slice(0, -1)] },
      'bound_iam_instance_profile_arn_mismatch',
    ],
    [
      'its role without the path',
      { boundIamRoleArns: [`arn:aws:iam::${ACCOUNT}:role/InstRole`] },
      'bound_iam_role_arn_mismatch',
    ],
  ])('%s', (_name, bindings, code) => {
    expect(decideBindings(bound(bindings), facts())).toEqual({ allow: false, code });
  });

  it.each<[Partial<InstanceBindings>, string]>([
    [{ boundAmiIds: ['ami-1'] }, 'bound_ami_id_mismatch'],
    [{ boundVpcIds: ['vpc-1'] }, 'bound_vpc_id_mismatch'],
    [{ boundSubnetIds: ['sub-1'] }, 'bound_subnet_id_mismatch'],
    [{ boundIamInstanceProfileArns: [PROFILE] }, 'bound_iam_instance_profile_arn_mismatch'],
    [{ boundIamRoleArns: [ROLE] }, 'bound_iam_role_arn_mismatch'],
  ])('%j when the provider does not say', (bindings, code) => {
    expect(decideBindings(bound(bindings), facts({ instance: bare }))).toEqual({ allow: false, code });
  });

  it.each<[string, readonly string[] | undefined]>([
    ['no profile by that name', undefined],
    ['a profile without a role', []],
    ['a profile with two roles', [ROLE, ROLE]],
    ['a role of another account', ['arn:aws:iam::222222222222:role/rp/InstRole']],
  ])('a role bound with %s', (_name, profileRoleArns) => {
    const bindings = bound({ boundIamRoleArns: [ROLE, 'arn:aws:iam::222222222222:role/rp/*'] });
    expect(decideBindings(bindings, facts({ profileRoleArns }))).toEqual({
      allow: false,
      code: 'bound_iam_role_arn_mismatch',
    });
  });

  it.each<[Partial<InstanceBindings>, string]>([
    [
      { boundIamInstanceProfileArns: [PROFILE, 'arn:aws:iam::222222222222:*'] },
      'bound_iam_instance_profile_arn_mismatch',
    ],
    [{ boundIamRoleArns: [ROLE] }, 'bound_iam_role_arn_mismatch'],
  ])('%j through a profile of another account (PROVIDER-1)', (bindings, code) => {
    const foreign = { ...instance, instanceProfileArn: 'arn:aws:iam::222222222222:instance-profile/pp/Prof' };
    expect(decideBindings(bound(bindings), facts({ instance: foreign }))).toEqual({ allow: false, code });
  });

  it('everything: the denial names the first constraint of the fixed order', () => {
    const wrong = ['x'];
    const order: readonly (readonly [keyof InstanceBindings, string])[] = [
      ['boundRegions', 'bound_region_mismatch'],
      ['boundEc2InstanceIds', 'bound_ec2_instance_id_mismatch'],
      ['boundAccountIds', 'bound_account_id_mismatch'],
      ['boundAmiIds', 'bound_ami_id_mismatch'],
      ['boundSubnetIds', 'bound_subnet_id_mismatch'],
      ['boundVpcIds', 'bound_vpc_id_mismatch'],
      ['boundIamInstanceProfileArns', 'bound_iam_instance_profile_arn_mismatch'],
      ['boundIamRoleArns', 'bound_iam_role_arn_mismatch'],
    ];
    for (const [at, [, code]] of order.entries()) {
      const bindings = Object.fromEntries(order.slice(at).map(([name]) => [name, wrong]));
      expect(decideBindings(bound(bindings), facts())).toEqual({ allow: false, code });
    }
  });
});

describe('the roles of a profile', () => {
  it('are asked for only when the role binds them (LOGIN-7)', () => {
    expect(needsProfileRoles(bound({ boundIamInstanceProfileArns: [PROFILE] }))).toBe(false);
    expect(needsProfileRoles(bound({ boundIamRoleArns: [ROLE] }))).toBe(true);
  });
});
