/** What is kept of a token (TOKEN-1): everything but the token itself, of which only a digest is stored. */
import * as z from 'zod';

const textList = z.array(z.string()).readonly();
const textMap = z.record(z.string(), z.string()).readonly();
const seconds = z.number().int().nonnegative();

/** What renewal re-checks (RENEW-1), kept privately: never taken from the public metadata. */
export const renewalFactsSchema = z.discriminatedUnion('authType', [
  z.strictObject({
    authType: z.literal('ec2'),
    role: z.string(),
    roleId: z.string(),
    instanceId: z.string(),
    accountId: z.string(),
    region: z.string(),
    /** Greatest lifetime the role tag allowed; zero without one. */
    tagMaxTtlSeconds: seconds,
  }),
  z.strictObject({
    authType: z.literal('iam'),
    role: z.string(),
    roleId: z.string(),
    accountId: z.string(),
    canonicalArn: z.string(),
    /** As STS named the principal at login: a user with its path, an assumed role with its session. */
    clientArn: z.string(),
    uniqueId: z.string(),
    /** Instance of an inferring login; empty otherwise. */
    inferredEntityId: z.string(),
    inferredRegion: z.string(),
  }),
  /** A child token (TOKEN-12): renewed for its own lifetime, while its parents live. */
  z.strictObject({ authType: z.literal('token') }),
]);

export const tokenRecordSchema = z.strictObject({
  /** SHA-256 of the token text, base64url. */
  digest: z.string(),
  /** Empty for a batch token. */
  accessor: z.string(),
  /** Only service tokens are stored. */
  type: z.enum(['service', 'batch']).default('service'),
  policies: textList,
  metadata: textMap,
  displayName: z.string(),
  aliasName: z.string(),
  aliasMetadata: textMap,
  entityId: z.string(),
  /** Path that issued it: `auth/cloud/login`, or `auth/token/root`. */
  path: z.string(),
  issuedAt: z.number(),
  /** Undefined for a root token that never expires. */
  expiresAt: z.number().optional(),
  /** Lifetime at issue or last renewal, seconds. */
  ttlSeconds: seconds,
  creationTtlSeconds: seconds,
  explicitMaxTtlSeconds: seconds,
  periodSeconds: seconds,
  /** Uses granted at issue; zero means unlimited. */
  numUses: seconds,
  /** Present where uses are limited. */
  usesLeft: seconds.optional(),
  boundCidrs: textList,
  renewable: z.boolean(),
  lastRenewedAt: z.number().optional(),
  /** Of a child token: accessors of the token that made it and of that one's parents, nearest first. */
  parents: textList.optional(),
  /** Absent on root tokens. */
  renewal: renewalFactsSchema.optional(),
});

export type RenewalFacts = Readonly<z.infer<typeof renewalFactsSchema>>;
export type TokenRecord = Readonly<z.infer<typeof tokenRecordSchema>>;

/** Of a token that a login issued. */
export type LoginFacts = Exclude<RenewalFacts, { readonly authType: 'token' }>;
export type Ec2RenewalFacts = Extract<RenewalFacts, { readonly authType: 'ec2' }>;
export type IamRenewalFacts = Extract<RenewalFacts, { readonly authType: 'iam' }>;
