/** What the provider is made of: where its configuration comes from, and its limits with their defaults. */
import type { Awaitable, CallOptions, Clock } from '@postern/ports';

/** The stored client configuration (CONFIG-1) as the provider reads it. An empty text is one that is not set. */
export interface AwsClientConfig {
  readonly accessKey: string;
  readonly secretKey: string;
  /** -1: the SDK's own default. */
  readonly maxRetries: number;
  readonly endpoint: string;
  readonly iamEndpoint: string;
  readonly stsEndpoint: string;
  readonly stsRegion: string;
}

/** The role to assume for an account (ASSOC-1). */
export interface AwsStsAssociation {
  readonly stsRole: string;
  /** Sent only where it is set and not empty (ASSOC-3). */
  readonly externalId?: string | undefined;
}

/**
 * Where the configuration is read. Both are read anew for every question: a change holds at once, on this node and on all
 * others, and no client that was made from an older configuration answers any more (THREAT-28).
 */
export interface AwsConfiguration {
  /** The stored configuration, or undefined where none is stored. */
  clientConfig(options?: CallOptions): Awaitable<AwsClientConfig | undefined>;
  stsAssociation(accountId: string, options?: CallOptions): Awaitable<AwsStsAssociation | undefined>;
}

/** Credentials as the SDK's chain yields them. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

export interface AwsProviderOptions {
  readonly configuration: AwsConfiguration;
  /** Read for `CLOUD_ACCESS_KEY`, `CLOUD_SECRET_KEY`, `CLOUD_REGION` and the SDK's region variables (PROVIDER-3). */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default: that of the machine. */
  readonly clock?: Clock;
  /** From 0 to 1, for jitter where the cloud throttles. Default: `Math.random`. */
  readonly random?: () => number;
  /** Instead of the SDK's own chain (environment, shared files, web identity, container, instance metadata v2). */
  readonly credentialChain?: () => Promise<AwsCredentials>;
  readonly limits?: Partial<AwsProviderLimits>;
  readonly youngInstanceRetry?: Partial<YoungInstanceRetry>;
  readonly keyProof?: Partial<KeyProof>;
  /** PEM certificates to trust instead of the system's, for an endpoint inside a private network. */
  readonly tlsCertificates?: string;
}

export interface AwsProviderLimits {
  /** Until a connection stands, TLS included. 2,000. */
  readonly connectTimeoutMs: number;
  /** One attempt at a call, from request to the last byte of the answer. 5,000. */
  readonly attemptTimeoutMs: number;
  /** A whole question of a port, with retries and what must be known first. 10,000. */
  readonly totalTimeoutMs: number;
  /** How long a question for an instance waits for others while a call is under way; one that is alone does not wait. 2. */
  readonly coalesceMs: number;
  /** Instances in one DescribeInstances: at most 100. */
  readonly coalesceMax: number;
  /** Clients kept: one for each partition, account, region, role and service. 256. */
  readonly maxClients: number;
  /** Assumed-role credentials kept. 1,024. */
  readonly maxAssumedRoles: number;
  /** Connection pools kept, one for each endpoint and host name. 64. */
  readonly maxPools: number;
  /** Connections to one endpoint. 64. */
  readonly maxConnections: number;
}

/** The provider does not see an instance for some seconds after its launch. */
export interface YoungInstanceRetry {
  /** How often a young instance is looked for again. 3; 0 for never. */
  readonly attempts: number;
  /** Before the first further look; each next one waits twice as long. 500. */
  readonly delayMs: number;
  /** How old an instance may be to count as young. 120,000. */
  readonly youngForMs: number;
}

/** A key that was just made is unknown to the provider for some seconds (ROTATE-2). */
export interface KeyProof {
  /** How long to go on asking whether it works. 3,000: the caller can retry. */
  readonly withinMs: number;
  /** Before the second question; twice as long before each next one, and never more than two seconds. 250. */
  readonly delayMs: number;
}

export const DEFAULT_LIMITS: AwsProviderLimits = {
  connectTimeoutMs: 2_000,
  attemptTimeoutMs: 5_000,
  totalTimeoutMs: 10_000,
  coalesceMs: 2,
  coalesceMax: 100,
  maxClients: 256,
  maxAssumedRoles: 1_024,
  maxPools: 64,
  maxConnections: 64,
};

export const DEFAULT_YOUNG_RETRY: YoungInstanceRetry = { attempts: 3, delayMs: 500, youngForMs: 120_000 };

export const DEFAULT_KEY_PROOF: KeyProof = { withinMs: 3_000, delayMs: 250 };
