/** Shapes and defaults of what is configured (CONFIG-1, CONFIG-6, CERT-1, CERT-3, ASSOC-1, TIDY-1), as it is stored. */
import * as z from 'zod';

export const clientConfigSchema = z.strictObject({
  /** -1: the provider SDK's own default. */
  maxRetries: z.number().int(),
  accessKey: z.string(),
  /** Write-only. */
  secretKey: z.string(),
  endpoint: z.string(),
  iamEndpoint: z.string(),
  stsEndpoint: z.string(),
  stsRegion: z.string(),
  useStsRegionFromClient: z.boolean(),
  iamServerIdHeaderValue: z.string(),
  allowedStsHeaders: z.array(z.string()).readonly(),
});

export type ClientConfig = Readonly<z.infer<typeof clientConfigSchema>>;

/** What holds when nothing is stored (CONFIG-6). */
export const DEFAULT_CLIENT_CONFIG: ClientConfig = {
  maxRetries: -1,
  accessKey: '',
  secretKey: '',
  endpoint: '',
  iamEndpoint: '',
  stsEndpoint: '',
  stsRegion: '',
  useStsRegionFromClient: false,
  iamServerIdHeaderValue: '',
  allowedStsHeaders: [],
};

export const CERTIFICATE_TYPES = ['pkcs7', 'identity'] as const;

export const certificateConfigSchema = z.strictObject({
  /** PEM text as it was given; parsed again where it is trusted. */
  pem: z.string(),
  type: z.enum(CERTIFICATE_TYPES),
});

export type CertificateConfig = Readonly<z.infer<typeof certificateConfigSchema>>;

export const stsAssociationSchema = z.strictObject({
  /** ARN of an IAM role in that account. */
  stsRole: z.string(),
  /** Sent with AssumeRole only where it is set; empty means none. */
  externalId: z.string(),
});

export type StsAssociation = Readonly<z.infer<typeof stsAssociationSchema>>;

/** The two independent records of TIDY-1, named as their paths. */
export const TIDY_TARGETS = ['identity-accesslist', 'roletag-denylist'] as const;
export type TidyTarget = (typeof TIDY_TARGETS)[number];

export const tidyConfigSchema = z.strictObject({
  /** Time past its expiration that an entry is still kept. */
  safetyBufferSeconds: z.number().int().nonnegative(),
  disablePeriodicTidy: z.boolean(),
  /** Of the access list (TIDY-10); absent means true. */
  keepExistingInstances: z.boolean().optional(),
});

export type TidyConfig = Readonly<z.infer<typeof tidyConfigSchema>>;

/** 72 h for both (TIDY-2). */
export const DEFAULT_TIDY_CONFIG: TidyConfig = { safetyBufferSeconds: 72 * 60 * 60, disablePeriodicTidy: false };
