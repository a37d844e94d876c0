/** A role as core knows it (ROLE-1): who may log in against it and what they get. Shapes and the stored schema. */
import * as z from 'zod';

const textList = z.array(z.string()).readonly();
const seconds = z.number().int().nonnegative();

/** What tokens of a role are like (ROLE-1). Zero means "not set" for every number. */
export const tokenParametersSchema = z.strictObject({
  ttlSeconds: seconds,
  maxTtlSeconds: seconds,
  explicitMaxTtlSeconds: seconds,
  periodSeconds: seconds,
  /** As sent: trimmed only. Normalised when a token is made. */
  policies: textList,
  noDefaultPolicy: z.boolean(),
  numUses: z.number().int().nonnegative(),
  boundCidrs: textList,
  type: z.enum(['default', 'service', 'batch']),
});

/** The deprecated twins `ttl`, `max_ttl`, `period`, `policies`: kept apart because a read shows them only when they were set. */
export const legacyTokenParametersSchema = z.strictObject({
  ttlSeconds: seconds,
  maxTtlSeconds: seconds,
  periodSeconds: seconds,
  policies: textList,
});

export const roleSchema = z.strictObject({
  /** Folded to lower case (ROLE-2). */
  name: z.string(),
  /** Random UUID made at creation; kept across updates, new after delete and create. */
  roleId: z.string(),
  /** Random UUID text, the key of the role's tags. A secret: never read out. */
  hmacKey: z.string(),
  authType: z.enum(['ec2', 'iam']),
  boundAccountIds: textList,
  boundAmiIds: textList,
  boundRegions: textList,
  boundVpcIds: textList,
  boundSubnetIds: textList,
  boundIamRoleArns: textList,
  boundIamInstanceProfileArns: textList,
  boundEc2InstanceIds: textList,
  boundIamPrincipalArns: textList,
  /** Unique ids that `boundIamPrincipalArns` resolved to. */
  boundIamPrincipalIds: textList,
  inferredEntityType: z.enum(['', 'ec2_instance']),
  inferredRegion: z.string(),
  /** Denies where the profile of an inferred instance cannot be looked into. */
  requireInferredProfile: z.boolean(),
  /** Admits there, whatever the profile is called (ROLE-18). Absent means false; in no record of format 1. */
  admitUncheckedProfile: z.boolean().optional(),
  resolveUniqueIds: z.boolean(),
  /** Key of the instance tag that holds a role tag; empty disables role tags. */
  roleTagKey: z.string(),
  allowInstanceMigration: z.boolean(),
  disallowReauthentication: z.boolean(),
  /** Greatest age of an identity document since its pendingTime; zero means any (LOGIN-9). */
  maxDocumentAgeSeconds: seconds,
  token: tokenParametersSchema,
  legacy: legacyTokenParametersSchema,
});

export type TokenParameters = Readonly<z.infer<typeof tokenParametersSchema>>;
export type LegacyTokenParameters = Readonly<z.infer<typeof legacyTokenParametersSchema>>;
export type Role = Readonly<z.infer<typeof roleSchema>>;
