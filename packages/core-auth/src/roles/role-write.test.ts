/** Writing roles through the catalogue: the black-box cases (ROLE-15), with the rules that override them. */
import { describe, expect, it } from 'vitest';
import { answerOf } from '../../test/answers.js';
import { createTestMethod } from '../../test/create-test-method.js';

type Body = Readonly<Record<string, unknown>>;

const ec2 = { auth_type: 'ec2', bound_ami_id: 'ami-1' };
const iam = { bound_iam_principal_arn: 'arn:aws:iam::111111111111:user/*' };
const inferring = { inferred_entity_type: 'ec2_instance', inferred_aws_region: 'r' };
const unresolved = { resolve_cloud_unique_ids: false };
const user = { bound_iam_principal_arn: 'arn:aws:iam::1:user/u' };

describe('a write of a new role', () => {
  it.each<[string, Body, string]>([
    ['no bind at all', {}, 'role_constraint_missing'],
    ['auth_type is case-sensitive', { ...ec2, auth_type: 'EC2' }, 'role_auth_type_invalid'],
    ['empty auth_type', { ...ec2, auth_type: '' }, 'role_auth_type_invalid'],
    ['null auth_type', { ...ec2, auth_type: null }, 'role_auth_type_invalid'],
    ['only ec2_instance', { ...user, ...unresolved, inferred_entity_type: 'invalid' }, 'role_inferred_type_invalid'],
    [
      'inference needs a region',
      { ...user, ...unresolved, inferred_entity_type: 'ec2_instance' },
      'role_inferred_region_missing',
    ],
    [
      'inference with principal binds only',
      {
        ...inferring,
        ...unresolved,
        bound_iam_principal_arn: ['arn:aws:iam::123456789012:role/MyRole', 'arn:aws:iam::123456789012:role/path/*'],
      },
      '204',
    ],
    ['region without inference', { ...iam, inferred_aws_region: 'r' }, 'role_inferred_region_unexpected'],
    [
      'the region by its other name (ROLE-16)',
      { ...iam, inferred_cloud_region: 'r' },
      'role_inferred_region_unexpected',
    ],
    ['a profile alone, inferring', { ...inferring, bound_iam_instance_profile_arn: 'x' }, '204'],
    ['an instance id alone, inferring', { ...inferring, bound_ec2_instance_id: 'x' }, '204'],
    ['a role ARN is not checked by plain iam', { ...iam, bound_iam_role_arn: 'x' }, 'role_constraint_not_applicable'],
    ['a role ARN alone, inferring', { ...inferring, bound_iam_role_arn: 'x' }, '204'],
    ['a subnet alone, inferring', { ...inferring, bound_subnet_id: 'x' }, '204'],
    ['a region alone, inferring (ROLE-5)', { ...inferring, bound_region: 'r' }, '204'],
    ['a region alone, ec2', { auth_type: 'ec2', bound_region: 'x' }, '204'],
    [
      'principal binds are iam-only',
      { ...ec2, bound_iam_principal_arn: 'arn:aws:iam::1:user/*' },
      'role_constraint_not_applicable',
    ],
    ['role_tag is ec2-only', { ...iam, role_tag: 'k' }, 'role_option_not_applicable'],
    ['false sets nothing (ROLE-6)', { ...iam, disallow_reauthentication: false }, '204'],
    ['ROLE-6: an empty role_tag sets nothing', { ...iam, role_tag: '', allow_instance_migration: '' }, '204'],
    ['true does', { ...iam, disallow_reauthentication: true }, 'role_option_not_applicable'],
    ['migration on iam', { ...iam, allow_instance_migration: true }, 'role_option_not_applicable'],
    ['document age on iam', { ...iam, max_document_age: 60 }, 'role_option_not_applicable'],
    ['a required profile without inference', { ...iam, require_inferred_profile: true }, 'role_option_not_applicable'],
    ['a required profile on ec2', { ...ec2, require_inferred_profile: true }, 'role_option_not_applicable'],
    ['a required profile, inferring', { ...inferring, ...iam, require_inferred_profile: true }, '204'],
    ['inference on ec2', { ...ec2, ...inferring }, 'role_option_not_applicable'],
    ['a role_tag of 127 bytes', { ...ec2, role_tag: 'k'.repeat(127) }, '204'],
    ['128 bytes', { ...ec2, role_tag: 'k'.repeat(128) }, 'role_tag_key_too_long'],
    ['126 characters of 128 bytes', { ...ec2, role_tag: `${'k'.repeat(124)}\u00e9\u00e9` }, 'role_tag_key_too_long'],
    ['list-004, overridden by FIELD-6: a blank bind is none', { auth_type: 'ec2', bound_ami_id: ' ' }, 'field_invalid'],
    ['an unknown field (WIRE-19)', { ...ec2, unknown_field: 1 }, 'unknown_fields'],
    ['the name again in the body', { ...ec2, role: 'yy' }, '204'],
    ['ROLE-6: read-only fields, whatever they hold', { ...ec2, role_id: {}, bound_iam_principal_id: 5 }, '204'],
    ['hmac_key is no field', { ...ec2, hmac_key: 'mine' }, 'unknown_fields'],
  ])('%s', async (_name, body, answer) => {
    const { host } = createTestMethod();
    expect(await answerOf(host('role.write', { role: 'zz' }, body))).toBe(answer);
    expect(await answerOf(host('role.read', { role: 'zz' }))).toBe(answer === '204' ? '200' : 'not_found');
    expect(await answerOf(host('role.read', { role: 'yy' }))).toBe('not_found');
  });

  it('knows the region by two names, which must agree (ROLE-16)', async () => {
    const { host } = createTestMethod();
    const body = { ...iam, inferred_entity_type: 'ec2_instance' };
    await host('role.write', { role: 'r' }, { ...body, inferred_cloud_region: 'eu-west-1' });
    expect((await host('role.read', { role: 'r' })).data).toMatchObject({ inferred_aws_region: 'eu-west-1' });
    const both = { ...body, inferred_cloud_region: 'eu-west-1', inferred_aws_region: 'eu-west-2' };
    expect(await answerOf(host('role.write', { role: 'r' }, both))).toBe('field_invalid');
  });
});

describe('an ARN that a role is bound to (ROLE-9, ROLE-10)', () => {
  it.each<[string, Body, string]>([
    ['prn-007, overridden by ROLE-10: **', { bound_iam_principal_arn: '**' }, 'arn_pattern_invalid'],
    [
      'prn-008, overridden by ROLE-10: a leading star',
      { bound_iam_principal_arn: '*:role/path/RoleN*' },
      'arn_pattern_invalid',
    ],
    ['a lone star', { bound_iam_principal_arn: '*' }, 'arn_pattern_invalid'],
    ['an inner star', { bound_iam_principal_arn: 'arn:aws:iam::1:role/*/x' }, 'arn_pattern_invalid'],
    ['a star for the account', { bound_iam_principal_arn: 'arn:aws:iam::*:role/x' }, 'arn_pattern_invalid'],
    ['a star for the partition', { bound_iam_principal_arn: 'arn:*:iam::1:role/x*' }, 'arn_pattern_invalid'],
    ['100 kB of stars', { bound_iam_principal_arn: Array(50).fill('a*'.repeat(1000)) }, 'arn_pattern_invalid'],
    ['the widest that may be', { bound_iam_principal_arn: 'arn:aws:iam::111111111111:*' }, '204'],
    [
      'prn-002, overridden by ROLE-9: a role with its path',
      { bound_iam_principal_arn: 'arn:aws:iam::1:role/path/R' },
      'principal_arn_unmatchable',
    ],
    ['a role without its path', { bound_iam_principal_arn: 'arn:aws:iam::1:role/R' }, '204'],
    ['a role with its path and a star', { bound_iam_principal_arn: 'arn:aws:iam::1:role/path/R*' }, '204'],
    ['a user with a path', { bound_iam_principal_arn: 'arn:aws:iam::1:user/path/U' }, '204'],
    ['an assumed role', { bound_iam_principal_arn: 'arn:aws:sts::1:assumed-role/R/x' }, 'principal_arn_invalid'],
    ['an instance profile', { bound_iam_principal_arn: 'arn:aws:iam::1:instance-profile/P' }, 'principal_arn_invalid'],
    ['no ARN', { bound_iam_principal_arn: 'somebody' }, 'principal_arn_invalid'],
    ['an account of no name', { bound_iam_principal_arn: 'arn:aws:iam:::user/U' }, 'principal_arn_invalid'],
    ['a user of no name', { bound_iam_principal_arn: 'arn:aws:iam::1:user/' }, 'principal_arn_invalid'],
    ['a wide role bound', { ...inferring, bound_iam_role_arn: '*' }, 'arn_pattern_invalid'],
    ['a wide profile bound', { ...inferring, bound_iam_instance_profile_arn: 'arn:aws:iam::*' }, 'arn_pattern_invalid'],
    ['a role pattern', { ...inferring, bound_iam_role_arn: 'arn:aws:iam::1:role/web-*' }, '204'],
  ])('%s', async (_name, body, answer) => {
    const { host } = createTestMethod();
    expect(await answerOf(host('role.write', { role: 'r' }, { ...unresolved, ...body }))).toBe(answer);
  });
});

describe('a write of an existing role', () => {
  it.each<[string, Body, Body, string]>([
    [
      'auth_type cannot change',
      ec2,
      { auth_type: 'iam', bound_iam_principal_arn: 'arn:aws:iam::1:role/x' },
      'role_auth_type_immutable',
    ],
    ['the same value is tolerated', ec2, { auth_type: 'ec2' }, '204'],
    ['another case is not', ec2, { auth_type: 'Ec2' }, 'role_auth_type_invalid'],
    [
      'flags exclude each other',
      ec2,
      { allow_instance_migration: true, disallow_reauthentication: true },
      'role_options_exclusive',
    ],
    [
      'one after the other too',
      { ...ec2, allow_instance_migration: true },
      { disallow_reauthentication: true },
      'role_options_exclusive',
    ],
    ['one of them', ec2, { allow_instance_migration: true, disallow_reauthentication: false }, '204'],
    ['no principals on ec2', ec2, { bound_iam_principal_arn: '' }, '204'],
    ['true to false', iam, { resolve_cloud_unique_ids: false }, 'role_resolve_immutable'],
    ['false to true, patterns only', { ...iam, ...unresolved }, { resolve_cloud_unique_ids: true }, '204'],
    ['the last bind emptied', ec2, { bound_ami_id: [] }, 'role_constraint_missing'],
    ['a bind exchanged', ec2, { bound_ami_id: '', bound_vpc_id: 'v' }, '204'],
  ])('%s', async (_name, before, body, answer) => {
    const { host } = createTestMethod();
    await host('role.write', { role: 'r' }, before);
    const stored = (await host('role.read', { role: 'r' })).data;
    expect(await answerOf(host('role.write', { role: 'r' }, body))).toBe(answer);
    const now = (await host('role.read', { role: 'r' })).data;
    if (answer !== '204') expect(now).toEqual(stored);
  });

  it('changes what was sent and nothing else', async () => {
    const { host, inside } = createTestMethod();
    await host('role.write', { role: 'testrole' }, { auth_type: 'ec2', bound_ami_id: 'testamiid', bound_vpc_id: 'v' });
    const before = (await inside.collections.roles.get('testrole'))?.value;
    await host('role.write', { role: 'testrole' }, { bound_vpc_id: 'newvpcid' });
    const after = (await inside.collections.roles.get('testrole'))?.value;
    expect(after).toEqual({ ...before, boundVpcIds: ['newvpcid'] });
  });
});
