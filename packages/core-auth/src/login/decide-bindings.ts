/**
 * Is the instance running and where the proof says (INSTANCE-1, PROVIDER-1), and does it meet every constraint of the role
 * (BOUND-1 to BOUND-3)? One function for every login type that looks at an instance, so that none can skip one.
 */
import type { InstanceFacts, InstanceQuery } from '@postern/ports';
import { matchesArnPattern } from '../evidence/arn.js';
import type { Role } from '../roles/role.js';

type InstanceMismatch = 'instance_account_mismatch' | 'instance_region_mismatch' | 'instance_not_running';

export type InstanceCode = 'instance_not_found' | InstanceMismatch;

/** One question about the answer of the provider, in the order in which they are judged. */
export interface InstanceCheck {
  readonly code: InstanceMismatch;
  readonly met: boolean;
  readonly expected: string;
  readonly actual: string | undefined;
}

export type InstanceDecision =
  | { readonly allow: true; readonly instance: InstanceFacts }
  | {
      readonly allow: false;
      readonly code: InstanceCode;
    };

/** The one state in which an instance may log in. */
const RUNNING = 'running';

/**
 * Judges the provider's answer to `query`. An answer for another instance counts as not found. Pure.
 *
 * @param found what the directory answered; undefined when it knows none of that id.
 */
export function decideInstance(query: InstanceQuery, found: InstanceFacts | undefined): InstanceDecision {
  if (!isInstanceAsked(query, found)) return { allow: false, code: 'instance_not_found' };
  const failed = instanceChecks(query, found).find(({ met }) => !met);
  return failed === undefined ? { allow: true, instance: found } : { allow: false, code: failed.code };
}

/** Whether the provider knows the instance: an answer for another one does not count. */
export function isInstanceAsked(query: InstanceQuery, found: InstanceFacts | undefined): found is InstanceFacts {
  return found?.instanceId === query.instanceId;
}

/** Every question but whether there is such an instance. Pure. */
export function instanceChecks(query: InstanceQuery, found: InstanceFacts): readonly InstanceCheck[] {
  const { accountId = query.accountId, region, state } = found;
  const checks = [
    ['instance_account_mismatch', query.accountId, accountId],
    ['instance_region_mismatch', query.region, region],
    ['instance_not_running', RUNNING, state],
  ] as const;
  return checks.map(([code, expected, actual]) => ({ code, expected, actual, met: actual === expected }));
}

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
  /** Roles in the instance's profile; undefined where there is no profile or no constraint on it. */
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

/** One constraint, held against the facts. */
export interface BindingCheck {
  /** Member of a role that holds the constraint: `bound_ami_id`. */
  readonly bound: BoundName;
  readonly code: BindingCode;
  readonly met: boolean;
  /** What the role allows; empty where it asks for nothing. */
  readonly expected: readonly string[];
  /** What was found; undefined where there is no such fact. */
  readonly actual: string | undefined;
}

type BoundName = BindingCode extends `${infer Name}_mismatch` ? Name : never;

export type BindingDecision = { readonly allow: true } | { readonly allow: false; readonly code: BindingCode };

/** Whether the profile's roles have to be asked for before `decideBindings`. */
export function needsProfileRoles(role: InstanceBindings): boolean {
  return role.boundIamRoleArns.length > 0;
}

/** The order in which constraints are judged, so that a denial names the first that fails. */
export const BOUND_NAMES = [
  'bound_region',
  'bound_ec2_instance_id',
  'bound_account_id',
  'bound_ami_id',
  'bound_subnet_id',
  'bound_vpc_id',
  'bound_iam_instance_profile_arn',
  'bound_iam_role_arn',
] as const satisfies readonly BoundName[];

/** Every constraint, in the order of `BOUND_NAMES`. A fact that is absent meets nothing. Pure. */
export function bindingChecks(role: InstanceBindings, facts: BindingFacts): readonly BindingCheck[] {
  const { proven, instance, profileRoleArns } = facts;
  const exact = (bound: BoundName, expected: readonly string[], actual: string | undefined) =>
    check(bound, expected, actual, oneOf(expected, actual));
  const { instanceProfileArn } = instance;
  const ofProfile = onePattern(role.boundIamInstanceProfileArns, instanceProfileArn, proven.accountId);
  return [
    exact('bound_region', role.boundRegions, proven.region),
    exact('bound_ec2_instance_id', role.boundEc2InstanceIds, instance.instanceId),
    exact('bound_account_id', role.boundAccountIds, proven.accountId),
    exact('bound_ami_id', role.boundAmiIds, instance.imageId),
    exact('bound_subnet_id', role.boundSubnetIds, instance.subnetId),
    exact('bound_vpc_id', role.boundVpcIds, instance.vpcId),
    check('bound_iam_instance_profile_arn', role.boundIamInstanceProfileArns, instanceProfileArn, ofProfile),
    check('bound_iam_role_arn', role.boundIamRoleArns, profileRoleArns?.join(', '), roleBound(role, facts)),
  ];
}

function check(bound: BoundName, expected: readonly string[], actual: string | undefined, met: boolean): BindingCheck {
  return { bound, code: `${bound}_mismatch`, met, expected, actual };
}

/** The first constraint that fails decides. Pure. */
export function decideBindings(role: InstanceBindings, facts: BindingFacts): BindingDecision {
  const failed = bindingChecks(role, facts).find(({ met }) => !met);
  return failed === undefined ? { allow: true } : { allow: false, code: failed.code };
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
