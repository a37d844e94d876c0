/**
 * What a write makes of a role (ROLE-1, ROLE-15, ROLE-10 to ROLE-12, FIELD-7, ROLE-5, ROLE-9): the role to store,
 * or why not. Pure: unique ids are looked up afterwards, for a role that is valid otherwise.
 */
import { checkArnBounds, checkPrincipalBounds } from './arn-bounds.js';
import { firstRefusal, type Refusal, refuse } from './refusal.js';
import type { Role } from './role.js';
import type { RoleFields } from './role-fields.js';
import { checkRoleRules } from './role-rules.js';
import { decideTokenParameters, NO_TOKEN_PARTS, type TokenLimits } from './token-parameters.js';

/** What a new role is known by. An existing one keeps its own. */
export type RoleIdentity = Pick<Role, 'name' | 'roleId' | 'hmacKey'>;

export type RoleWriteDecision =
  | {
      readonly allow: true;
      /** Without unique ids where `resolve` is set. */
      readonly role: Role;
      /** The unique ids of `role.boundIamPrincipalArns` have to be found before the role may be stored. */
      readonly resolve: boolean;
      readonly warnings: readonly string[];
    }
  | Refusal;

/**
 * @param existing the stored role; undefined if no role has that name.
 * @param identity used for a new role only.
 */
export function decideRoleWrite(
  existing: Role | undefined,
  fields: RoleFields,
  identity: RoleIdentity,
  limits: TokenLimits,
): RoleWriteDecision {
  const base = existing ?? emptyRole(identity);
  const authType = authTypeOf(existing, fields.auth_type);
  if (typeof authType === 'object') return authType;
  const inferred = inferenceOf(base, fields);
  if ('allow' in inferred) return inferred;
  const tokens = decideTokenParameters(base, fields, limits);
  const draft: Role = {
    ...base,
    ...inferred,
    authType,
    boundAccountIds: fields.bound_account_id ?? base.boundAccountIds,
    boundAmiIds: fields.bound_ami_id ?? base.boundAmiIds,
    boundRegions: fields.bound_region ?? base.boundRegions,
    boundVpcIds: fields.bound_vpc_id ?? base.boundVpcIds,
    boundSubnetIds: fields.bound_subnet_id ?? base.boundSubnetIds,
    boundIamRoleArns: fields.bound_iam_role_arn ?? base.boundIamRoleArns,
    boundIamInstanceProfileArns: fields.bound_iam_instance_profile_arn ?? base.boundIamInstanceProfileArns,
    boundEc2InstanceIds: fields.bound_ec2_instance_id ?? base.boundEc2InstanceIds,
    boundIamPrincipalArns: fields.bound_iam_principal_arn ?? base.boundIamPrincipalArns,
    // Sending the ARNs asks for their ids of today (ROLE-1).
    boundIamPrincipalIds: fields.bound_iam_principal_arn === undefined ? base.boundIamPrincipalIds : [],
    ...profileRule(base, fields.require_inferred_profile, inferred),
    resolveUniqueIds: fields.resolve_cloud_unique_ids ?? base.resolveUniqueIds,
    roleTagKey: fields.role_tag ?? base.roleTagKey,
    allowInstanceMigration: fields.allow_instance_migration ?? base.allowInstanceMigration,
    disallowReauthentication: fields.disallow_reauthentication ?? base.disallowReauthentication,
    maxDocumentAgeSeconds: fields.max_document_age ?? base.maxDocumentAgeSeconds,
  };
  const refusal = firstRefusal([
    () => checkResolution(existing, draft),
    () => checkArnBounds('bound_iam_role_arn', draft.boundIamRoleArns),
    () => checkArnBounds('bound_iam_instance_profile_arn', draft.boundIamInstanceProfileArns),
    () => checkPrincipalBounds(draft.boundIamPrincipalArns, draft.resolveUniqueIds),
    () => checkRoleRules(draft),
  ]);
  if (refusal !== undefined) return refusal;
  if (!tokens.allow) return tokens;
  const role: Role = { ...draft, token: tokens.token, legacy: tokens.legacy };
  return { allow: true, role, resolve: needsResolution(role), warnings: tokens.warnings };
}

/** A role before its first write: nothing is set. */
export function emptyRole(identity: RoleIdentity): Role {
  return {
    ...identity,
    authType: 'iam',
    boundAccountIds: [],
    boundAmiIds: [],
    boundRegions: [],
    boundVpcIds: [],
    boundSubnetIds: [],
    boundIamRoleArns: [],
    boundIamInstanceProfileArns: [],
    boundEc2InstanceIds: [],
    boundIamPrincipalArns: [],
    boundIamPrincipalIds: [],
    inferredEntityType: '',
    inferredRegion: '',
    requireInferredProfile: false,
    resolveUniqueIds: true,
    roleTagKey: '',
    allowInstanceMigration: false,
    disallowReauthentication: false,
    maxDocumentAgeSeconds: 0,
    ...NO_TOKEN_PARTS,
  };
}

/** Case-sensitive; the same value again is fine on an existing role, another is not (ROLE-3). */
function authTypeOf(existing: Role | undefined, sent: string | undefined): Role['authType'] | Refusal {
  if (sent === undefined) return existing?.authType ?? 'iam';
  if (sent !== 'ec2' && sent !== 'iam') {
    return refuse('role_auth_type_invalid', 'auth_type: must be ec2 or iam', { field: 'auth_type' });
  }
  if (existing === undefined || existing.authType === sent) return sent;
  return refuse('role_auth_type_immutable', 'auth_type: cannot change; delete the role and create it again', {
    field: 'auth_type',
  });
}

/**
 * What is said of a profile that cannot be looked into (ROLE-18). `false` says nothing in a role that does not infer.
 */
function profileRule(
  base: Role,
  sent: RoleFields['require_inferred_profile'],
  { inferredEntityType }: Pick<Role, 'inferredEntityType'>,
): Pick<Role, 'requireInferredProfile' | 'admitUncheckedProfile'> {
  const admits = sent === undefined ? base.admitUncheckedProfile === true : sent === false;
  const isKept = admits && inferredEntityType !== '';
  return {
    requireInferredProfile: sent === undefined ? base.requireInferredProfile : sent === true,
    // Undefined is not stored, and takes the place of what the role had.
    admitUncheckedProfile: isKept ? true : undefined,
  };
}

/** The region has two names (ROLE-16). Both may be sent if they agree. */
function inferenceOf(base: Role, fields: RoleFields): Pick<Role, 'inferredEntityType' | 'inferredRegion'> | Refusal {
  const { inferred_entity_type: type = base.inferredEntityType, inferred_aws_region: region } = fields;
  const alias = fields.inferred_cloud_region;
  if (type !== '' && type !== 'ec2_instance') {
    return refuse('role_inferred_type_invalid', 'inferred_entity_type: must be ec2_instance or empty', {
      field: 'inferred_entity_type',
    });
  }
  if (region !== undefined && alias !== undefined && region !== alias) {
    return refuse('field_invalid', 'inferred_cloud_region: is another name of inferred_aws_region and says otherwise', {
      field: 'inferred_cloud_region',
    });
  }
  return { inferredEntityType: type, inferredRegion: region ?? alias ?? base.inferredRegion };
}

/** Once bound to unique ids, always: otherwise a principal that was deleted and re-created would slip back in. */
function checkResolution(existing: Role | undefined, draft: Role): Refusal | undefined {
  if (existing?.resolveUniqueIds !== true || draft.resolveUniqueIds) return undefined;
  return refuse(
    'role_resolve_immutable',
    'resolve_cloud_unique_ids: cannot be turned off; delete the role and create it again',
    { field: 'resolve_cloud_unique_ids' },
  );
}

function needsResolution(role: Role): boolean {
  return role.resolveUniqueIds && role.boundIamPrincipalIds.length === 0 && role.boundIamPrincipalArns.length > 0;
}
