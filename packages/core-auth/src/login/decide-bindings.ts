/**
 * Does the instance meet every constraint of the role (spec 2.6, rules 2 and 3; behaviour sheet 15 steps 11 and 12;
 * decisions R2, R4, R5)? One function for every login type that looks at an instance, so that none can skip one.
 */
import type { InstanceFacts } from '@postern/ports';
import { matchesArnPattern } from '../evidence/arn.js';
import type { Role } from '../roles/role.js';

/** The constraints of a role that an instance can meet or not. */
export type InstanceBindings = Pick<
  Role,
  | 'boundAccountIds'
  | 'boundAmiIds'
  | 'boundRegions'
  | 'boundVpcIds'
  | 'boundSubnetIds'
  | 'boundIamRoleArns'
  | 'boundIamInstanceProfileArns'
  | 'boundEc2InstanceIds'
>;

export interface BindingFacts {
  /** Account and region that were proven; everything looked up must be of this account. */
  readonly proven: { readonly accountId: string; readonly region: string };
  /** What the provider says, judged by `decideInstance`. */
  readonly instance: InstanceFacts;
  /** Roles in the instance's profile; undefined where there is no profile or nobody had to ask. */
  readonly profileRoleArns: readonly string[] | undefined;
}

export type BindingCode =
  | 'bound_region_mismatch'
  | 'bound_ec2_instance_id_mismatch'
  | 'bound_account_id_mismatch'
  | 'bound_ami_id_mismatch'
  | 'bound_subnet_id_mismatch'
  | 'bound_vpc_id_mismatch'
  | 'bound_iam_instance_profile_arn_mismatch'
  | 'bound_iam_role_arn_mismatch';

export type BindingDecision = { readonly allow: true } | { readonly allow: false; readonly code: BindingCode };

/** Whether the profile's roles have to be asked for before `decideBindings`. */
export function needsProfileRoles(role: InstanceBindings): boolean {
  return role.boundIamRoleArns.length > 0;
}

/** Constraints in a fixed order, so that a denial names the first that fails. A fact that is absent meets nothing. Pure. */
export function decideBindings(role: InstanceBindings, facts: BindingFacts): BindingDecision {
  const { proven, instance } = facts;
  const checks: readonly (readonly [BindingCode, boolean])[] = [
    ['bound_region_mismatch', oneOf(role.boundRegions, proven.region)],
    ['bound_ec2_instance_id_mismatch', oneOf(role.boundEc2InstanceIds, instance.instanceId)],
    ['bound_account_id_mismatch', oneOf(role.boundAccountIds, proven.accountId)],
    ['bound_ami_id_mismatch', oneOf(role.boundAmiIds, instance.imageId)],
    ['bound_subnet_id_mismatch', oneOf(role.boundSubnetIds, instance.subnetId)],
    ['bound_vpc_id_mismatch', oneOf(role.boundVpcIds, instance.vpcId)],
    [
      'bound_iam_instance_profile_arn_mismatch',
      onePattern(role.boundIamInstanceProfileArns, instance.instanceProfileArn, proven.accountId),
    ],
    ['bound_iam_role_arn_mismatch', roleBound(role, facts)],
  ];
  const failed = checks.find(([, met]) => !met);
  return failed === undefined ? { allow: true } : { allow: false, code: failed[0] };
}

/** The profile must be of the proven account and hold exactly one role; that role's full ARN, path included, counts. */
function roleBound(role: InstanceBindings, { proven, instance, profileRoleArns }: BindingFacts): boolean {
  if (role.boundIamRoleArns.length === 0) return true;
  if (accountOf(instance.instanceProfileArn) !== proven.accountId || profileRoleArns?.length !== 1) return false;
  return onePattern(role.boundIamRoleArns, profileRoleArns[0], proven.accountId);
}

/** Exact and case-sensitive; an empty list asks for nothing. */
function oneOf(bound: readonly string[], actual: string | undefined): boolean {
  return bound.length === 0 || (actual !== undefined && bound.includes(actual));
}

function onePattern(bound: readonly string[], arn: string | undefined, accountId: string): boolean {
  if (bound.length === 0) return true;
  return arn !== undefined && accountOf(arn) === accountId && bound.some((pattern) => matchesArnPattern(pattern, arn));
}

/** `arn:<partition>:<service>:<region>:<account>:<resource>` */
function accountOf(arn: string | undefined): string | undefined {
  return arn?.split(':')[4];
}
