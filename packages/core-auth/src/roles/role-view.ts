/**
 * A role as a read shows it (ROLE-1, ROLE-13, FIELD-7): every field that can be written, in the
 * shape in which it can be written back, and two that are read-only. The key of its tags is never shown.
 */
import * as z from 'zod';
import type { Shown } from '../operation.js';
import type { LegacyTokenParameters, Role, TokenParameters } from './role.js';

const texts = z.array(z.string());
const count = z.int().nonnegative();

/** What `roleToWire` makes. */
export const roleOutput = z.object({
  allow_instance_migration: z.boolean(),
  auth_type: z.enum(['ec2', 'iam']),
  bound_account_id: texts,
  bound_ami_id: texts,
  bound_ec2_instance_id: texts,
  bound_iam_instance_profile_arn: texts,
  bound_iam_principal_arn: texts,
  bound_iam_principal_id: texts,
  bound_iam_role_arn: texts,
  bound_region: texts,
  bound_subnet_id: texts,
  bound_vpc_id: texts,
  disallow_reauthentication: z.boolean(),
  inferred_aws_region: z.string(),
  inferred_entity_type: z.enum(['', 'ec2_instance']),
  max_document_age: count,
  require_inferred_profile: z.boolean().nullable(),
  resolve_cloud_unique_ids: z.boolean(),
  role_id: z.string(),
  role_tag: z.string(),
  token_bound_cidrs: texts,
  token_explicit_max_ttl: count,
  token_max_ttl: count,
  token_no_default_policy: z.boolean(),
  token_num_uses: count,
  token_period: count,
  token_policies: texts,
  token_ttl: count,
  token_type: z.enum(['default', 'service', 'batch']),
  ttl: count.optional(),
  max_ttl: count.optional(),
  period: count.optional(),
  policies: texts.optional(),
});

/** Wire names. Durations are whole seconds, lists are arrays. */
export function roleToWire(role: Role): Shown<typeof roleOutput> {
  return {
    allow_instance_migration: role.allowInstanceMigration,
    auth_type: role.authType,
    bound_account_id: role.boundAccountIds,
    bound_ami_id: role.boundAmiIds,
    bound_ec2_instance_id: role.boundEc2InstanceIds,
    bound_iam_instance_profile_arn: role.boundIamInstanceProfileArns,
    bound_iam_principal_arn: role.boundIamPrincipalArns,
    bound_iam_principal_id: role.boundIamPrincipalIds,
    bound_iam_role_arn: role.boundIamRoleArns,
    bound_region: role.boundRegions,
    bound_subnet_id: role.boundSubnetIds,
    bound_vpc_id: role.boundVpcIds,
    disallow_reauthentication: role.disallowReauthentication,
    inferred_aws_region: role.inferredRegion,
    inferred_entity_type: role.inferredEntityType,
    max_document_age: role.maxDocumentAgeSeconds,
    require_inferred_profile: profileChoice(role),
    resolve_cloud_unique_ids: role.resolveUniqueIds,
    role_id: role.roleId,
    role_tag: role.roleTagKey,
    ...tokenToWire(role.token),
    ...legacyToWire(role.legacy),
  };
}

function tokenToWire(token: TokenParameters) {
  return {
    token_bound_cidrs: token.boundCidrs,
    token_explicit_max_ttl: token.explicitMaxTtlSeconds,
    token_max_ttl: token.maxTtlSeconds,
    token_no_default_policy: token.noDefaultPolicy,
    token_num_uses: token.numUses,
    token_period: token.periodSeconds,
    token_policies: token.policies,
    token_ttl: token.ttlSeconds,
    token_type: token.type,
  };
}

function profileChoice(role: Role): boolean | null {
  if (role.requireInferredProfile) return true;
  return role.admitUncheckedProfile === true ? false : null;
}

/** Only where they were set: by their deprecated names or by both. They then equal their `token_*` twins. */
function legacyToWire(legacy: LegacyTokenParameters) {
  return {
    ...(legacy.ttlSeconds > 0 && { ttl: legacy.ttlSeconds }),
    ...(legacy.maxTtlSeconds > 0 && { max_ttl: legacy.maxTtlSeconds }),
    ...(legacy.periodSeconds > 0 && { period: legacy.periodSeconds }),
    ...(legacy.policies.length > 0 && { policies: legacy.policies }),
  };
}
