/** Identity integration (ALIAS-2 to ALIAS-4): which name and which metadata a grant carries. Shapes and defaults. */
import { z } from 'zod';

export const IAM_ALIASES = ['role_id', 'unique_id', 'full_arn', 'canonical_arn'] as const;
export const EC2_ALIASES = ['role_id', 'instance_id', 'image_id'] as const;
export const DEFAULT_METADATA = ['account_id', 'auth_type'] as const;
export const IAM_METADATA = [
  ...DEFAULT_METADATA,
  'canonical_arn',
  'client_arn',
  'client_user_id',
  'inferred_aws_region',
  'inferred_entity_id',
  'inferred_entity_type',
] as const;
export const EC2_METADATA = [...DEFAULT_METADATA, 'ami_id', 'instance_id', 'region'] as const;

/** `undefined` metadata means the defaults of the day, an empty list means none. */
export const identityConfigSchema = z.object({
  iamAlias: z.enum(IAM_ALIASES),
  ec2Alias: z.enum(EC2_ALIASES),
  iamMetadata: z.array(z.enum(IAM_METADATA)).readonly().optional(),
  ec2Metadata: z.array(z.enum(EC2_METADATA)).readonly().optional(),
});

export type IdentityConfig = Readonly<z.infer<typeof identityConfigSchema>>;

export const DEFAULT_IDENTITY_CONFIG: IdentityConfig = { iamAlias: 'role_id', ec2Alias: 'role_id' };
