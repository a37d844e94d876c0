/** Whom a grant is for (ALIAS-5, ALIAS-3, ALIAS-4): alias name, metadata, and the entity behind the alias. */

import { encodeUtf8, formatUuid } from '@postern/kernel';
import type { Digest } from '@postern/ports';
import * as z from 'zod';
import type { VerifiedDocument } from '../evidence/identity-document/document.js';
import type { Principal } from '../principals/principal.js';
import { formatDuration } from '../roles/terms.js';

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
export const identityConfigSchema = z.strictObject({
  iamAlias: z.enum(IAM_ALIASES),
  ec2Alias: z.enum(EC2_ALIASES),
  iamMetadata: z.array(z.enum(IAM_METADATA)).readonly().optional(),
  ec2Metadata: z.array(z.enum(EC2_METADATA)).readonly().optional(),
});

export type IdentityConfig = Readonly<z.infer<typeof identityConfigSchema>>;

export const DEFAULT_IDENTITY_CONFIG: IdentityConfig = { iamAlias: 'role_id', ec2Alias: 'role_id' };

type TextMap = Readonly<Record<string, string>>;

/**
 * The selected metadata is on the alias and on the token; `tokenMetadata` has what always stands there as well. A
 * generated nonce is in neither: it is returned to the client once, by the login, and kept off the token.
 */
export interface GrantIdentity {
  readonly aliasName: string;
  readonly aliasMetadata: TextMap;
  readonly tokenMetadata: TextMap;
}

export interface Ec2GrantFacts {
  readonly config: IdentityConfig;
  readonly document: Pick<VerifiedDocument, 'instanceId' | 'imageId' | 'accountId' | 'region'>;
  readonly role: { readonly name: string; readonly roleId: string };
  /** Zero without a role tag. */
  readonly tagMaxTtlSeconds: number;
}

/** Names the grant of an `ec2` login. Pure. */
export function describeEc2Grant(facts: Ec2GrantFacts): GrantIdentity {
  const { config, document, role } = facts;
  const names = { role_id: role.roleId, instance_id: document.instanceId, image_id: document.imageId };
  const available: Readonly<Record<string, string>> = {
    account_id: document.accountId,
    auth_type: 'ec2',
    ami_id: document.imageId,
    instance_id: document.instanceId,
    region: document.region,
  };
  const aliasMetadata = selectMetadata(config.ec2Metadata, available);
  const more = { role: role.name, role_tag_max_ttl: formatDuration(facts.tagMaxTtlSeconds) };
  return {
    aliasName: names[config.ec2Alias],
    aliasMetadata,
    tokenMetadata: Object.assign({}, aliasMetadata, more),
  };
}

export interface IamGrantFacts {
  readonly config: IdentityConfig;
  readonly principal: Pick<Principal, 'accountId' | 'uniqueId' | 'canonicalArn' | 'stsArn'>;
  readonly role: { readonly roleId: string };
  /** Undefined without inference. */
  readonly inferred: { readonly entityId: string; readonly region: string } | undefined;
}

/** Names the grant of an `iam` login. Pure. */
export function describeIamGrant({ config, principal, role, inferred }: IamGrantFacts): GrantIdentity {
  const names = {
    role_id: role.roleId,
    unique_id: principal.uniqueId,
    full_arn: principal.stsArn,
    canonical_arn: principal.canonicalArn,
  };
  const aliasMetadata = selectMetadata(config.iamMetadata, {
    account_id: principal.accountId,
    auth_type: 'iam',
    canonical_arn: principal.canonicalArn,
    client_arn: principal.stsArn,
    client_user_id: principal.uniqueId,
    inferred_aws_region: inferred?.region ?? '',
    inferred_entity_id: inferred?.entityId ?? '',
    inferred_entity_type: inferred === undefined ? '' : 'ec2_instance',
  });
  return {
    aliasName: names[config.iamAlias],
    aliasMetadata,
    tokenMetadata: Object.assign({}, aliasMetadata, { role_id: role.roleId }),
  };
}

/** Empty values are left out. */
function selectMetadata(selected: readonly string[] = DEFAULT_METADATA, available: TextMap): TextMap {
  const metadata: Record<string, string> = {};
  for (const name of selected) {
    const value = available[name];
    if (value !== undefined && value !== '') metadata[name] = value;
  }
  return metadata;
}

/**
 * A stable id of mount and alias name, in the shape of a UUID. Names are compared in full case: two that differ only
 * in case are two entities (THREAT-29). Neither part can hold the NUL that keeps them apart.
 */
export async function entityIdOf(digest: Digest, mountPath: string, aliasName: string): Promise<string> {
  const digested = digest.digest('sha256', encodeUtf8(`postern-entity\0${mountPath}\0${aliasName}`));
  const hash = digested instanceof Uint8Array ? digested : await digested;
  const bytes = hash.slice(0, 16);
  // Version 8, "custom", of RFC 9562: it must not be taken for random.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  return formatUuid(bytes);
}
