/** Which settings go together in a role (ROLE-4 to ROLE-6, ROLE-15). Pure. */
import { encodeUtf8 } from '@postern/kernel';
import { firstRefusal, type Refusal, refuse } from './refusal.js';
import type { Role } from './role.js';

/** Whose logins look at a constraint: instances', or principals'. */
type Subject = 'instance' | 'principal';

/** In the order in which a refusal names them. */
const CONSTRAINTS = [
  ['bound_account_id', 'boundAccountIds', 'instance'],
  ['bound_region', 'boundRegions', 'instance'],
  ['bound_ami_id', 'boundAmiIds', 'instance'],
  ['bound_iam_instance_profile_arn', 'boundIamInstanceProfileArns', 'instance'],
  ['bound_ec2_instance_id', 'boundEc2InstanceIds', 'instance'],
  ['bound_iam_role_arn', 'boundIamRoleArns', 'instance'],
  ['bound_iam_principal_arn', 'boundIamPrincipalArns', 'principal'],
  ['bound_vpc_id', 'boundVpcIds', 'instance'],
  ['bound_subnet_id', 'boundSubnetIds', 'instance'],
] as const satisfies readonly (readonly [string, keyof Role, Subject])[];

/** UTF-8 bytes: the provider's limit is 128 characters, one less by tradition of clients. */
export const MAX_ROLE_TAG_KEY_BYTES = 127;

/** The role as it would be stored. @returns the first rule that it breaks. */
export function checkRoleRules(role: Role): Refusal | undefined {
  return firstRefusal([() => checkInference(role), () => checkConstraints(role), () => checkOptions(role)]);
}

/** Inference is for `iam`, and needs to know where to look (ROLE-7). */
function checkInference(role: Role): Refusal | undefined {
  if (role.inferredEntityType === '') {
    if (role.inferredRegion === '') return undefined;
    return refuse('role_inferred_region_unexpected', 'inferred_aws_region: only with inferred_entity_type', {
      field: 'inferred_aws_region',
    });
  }
  if (role.authType !== 'iam') return notApplicable(role, 'inferred_entity_type');
  if (role.inferredRegion !== '') return undefined;
  return refuse('role_inferred_region_missing', 'inferred_aws_region: required with inferred_entity_type', {
    field: 'inferred_aws_region',
  });
}

/** Every constraint must be one that a login of this role looks at, and there must be one. */
function checkConstraints(role: Role): Refusal | undefined {
  const subjects = subjectsOf(role);
  const set = CONSTRAINTS.filter(([, key]) => role[key].length > 0);
  const idle = set.find(([, , subject]) => !subjects.has(subject));
  if (idle !== undefined) {
    const [field] = idle;
    return refuse('role_constraint_not_applicable', `${field}: not checked by a role of ${describe(role)}`, { field });
  }
  return set.length > 0 ? undefined : refuse('role_constraint_missing', 'at least one constraint must be set');
}

/**
 * Options that only `ec2` logins heed. A value that sets nothing (false, empty, zero) is fine anywhere: reads show it,
 * and what was read can be written again (ROLE-6).
 */
function checkOptions(role: Role): Refusal | undefined {
  const ec2Only = [
    ['disallow_reauthentication', role.disallowReauthentication],
    ['allow_instance_migration', role.allowInstanceMigration],
    ['role_tag', role.roleTagKey !== ''],
    ['max_document_age', role.maxDocumentAgeSeconds > 0],
  ] as const;
  const idle = role.authType === 'ec2' ? undefined : ec2Only.find(([, isSet]) => isSet);
  if (idle !== undefined) return notApplicable(role, idle[0]);
  if (role.requireInferredProfile && role.inferredEntityType === '') {
    return notApplicable(role, 'require_inferred_profile');
  }
  if (role.allowInstanceMigration && role.disallowReauthentication) {
    return refuse(
      'role_options_exclusive',
      'allow_instance_migration and disallow_reauthentication exclude each other',
    );
  }
  if (encodeUtf8(role.roleTagKey).length > MAX_ROLE_TAG_KEY_BYTES) {
    return refuse('role_tag_key_too_long', `role_tag: at most ${MAX_ROLE_TAG_KEY_BYTES} bytes`, { field: 'role_tag' });
  }
  return undefined;
}

function subjectsOf(role: Role): ReadonlySet<Subject> {
  if (role.authType === 'ec2') return new Set(['instance']);
  return new Set(role.inferredEntityType === '' ? ['principal'] : ['principal', 'instance']);
}

function notApplicable(role: Role, field: string): Refusal {
  return refuse('role_option_not_applicable', `${field}: has no meaning in a role of ${describe(role)}`, { field });
}

function describe(role: Role): string {
  if (role.authType === 'ec2') return 'auth_type ec2';
  return role.inferredEntityType === '' ? 'auth_type iam without inference' : 'auth_type iam with inference';
}
