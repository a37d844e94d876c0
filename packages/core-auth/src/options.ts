/** What `createAuthMethod` takes: the ports it works through and how it is set up. */
import type {
  AuditSink,
  Authorizer,
  Clock,
  ClockGuard,
  Cloud,
  Cryptography,
  KeyWrapper,
  Storage,
  TokenIssuer,
} from '@postern/ports';
import type { Policy } from './policies/policy.js';

/** Everything that reaches outside: seven members, one object each. `createAuthMethod` names a missing one. */
export interface AuthPorts {
  /** `openSqliteStorage(…)`, `openPostgresStorage(…)`, `createMemoryStorage()`, or your own. */
  readonly storage: Storage;
  /** Default: `systemClock`, that of the machine. */
  readonly clock?: Clock;
  /** Compares the clock with that of the storage (TIDY-11). Without one, the clock is trusted: one process, one clock. */
  readonly clockGuard?: ClockGuard;
  /** `createNodeCrypto()`, `createWebCrypto()`, or your own. */
  readonly crypto: Cryptography;
  /** `createAwsProvider(…)`, or your own. */
  readonly cloud: Cloud;
  readonly audit: AuditSink;
  /**
   * Protects the secrets in storage (STORE-4): `createKeyWrapper(…)`, `createKmsKeyWrapper(…)` of `@postern/provider-aws`, or
   * your own. In a list, the first wraps and the others unwrap what they wrapped before a change. Without one, secrets are
   * stored in plain text, and `warnings()` says so.
   */
  readonly keyWrapper?: KeyWrapper | readonly KeyWrapper[];
  /** Decides management calls in the place of the policies. */
  readonly authorizer?: Authorizer;
  /** Without one, tokens are random 256-bit texts. */
  readonly tokenIssuer?: TokenIssuer;
}

/** `AuthPorts` with the defaults filled in. */
export type ResolvedAuthPorts = AuthPorts & Required<Pick<AuthPorts, 'clock'>>;

export interface AuthOptions {
  /** Path below `/v1/`, without slashes at the ends. Default `auth/cloud`. */
  readonly mountPath?: string;
  /** Prefix of every storage key, ends with `/`. Default `postern/auth/`. */
  readonly storagePrefix?: string;
  /**
   * The format version that records are written in (STORE-5); asked at each write. Default: the newest. While processes of
   * an older version work on the same storage, the one that they read.
   */
  readonly recordFormat?: () => number;
  /** Lifetime of a token whose role sets none. Default 768 h (TOKEN-2). */
  readonly defaultTtlSeconds?: number;
  /** Upper bound of every lifetime. Default 768 h. */
  readonly maxTtlSeconds?: number;
  /** Accept signatures and certificates whose digest is SHA-1: every DSA document (DOC-9). Default false. */
  readonly allowSha1Signatures?: boolean;
  /**
   * Name of the header that signed requests carry the server ID in. Default: that of the transport's wire profile
   * (STS-6), and `X-Service-Cloud-IAM-Server-ID` where it has none.
   */
  readonly iamServerIdHeaderName?: string;
  /**
   * Take each signed request of an `iam` login once only, among all processes that share the storage (STS-14, STS-16).
   * Default false: then what guards is the server-ID header.
   */
  readonly refuseReplays?: boolean;
  /** Age at which a signed request of an `iam` login is rejected (STS-17), 1 to 900. Default: the 15 minutes of STS. */
  readonly maxSignedRequestAgeSeconds?: number;
  /**
   * How long a renewal may rely on what the cloud answered an earlier one (RENEW-5), in seconds; 0 asks each time.
   * Default 10.
   */
  readonly renewalAnswerSeconds?: number;
  /** Policies by name, which the API can read and not change (POLICY-4). Ignored where the host gives an `authorizer`. */
  readonly policies?: Readonly<Record<string, Policy>>;
  /**
   * Further paths that policies may speak of, such as `jobs/:job`: a pattern that can match no path is rejected
   * (POLICY-8). `:name` is one segment, a last `:name*` any rest.
   */
  readonly policyPaths?: readonly string[];
  /** The built-in provider certificates. Replace them in tests and private clouds; extend them when AWS adds a region. */
  readonly builtInCertificates?: readonly BuiltInCertificate[];
  /**
   * Names this process among those that share the storage; what a process of that name left of its audit events is fed at
   * the next start. Default: random; then other processes feed it, five minutes after this one ended.
   */
  readonly auditNode?: string;
  /**
   * Called after this process stored or deleted a client configuration or STS association, so that provider adapters
   * can drop the clients they made from it.
   */
  readonly onProviderConfigChange?: () => void;
  /**
   * Called by `data-keys/rewrap` after the secrets of the method: seals those that the host keeps under the same data keys,
   * and returns how many records it wrote.
   */
  readonly onRewrap?: () => Promise<number>;
}

/** A trusted certificate of the provider. */
export interface BuiltInCertificate {
  readonly pem: string;
  readonly type: 'pkcs7' | 'identity';
  /** Regions whose documents its key may sign; undefined means any. */
  readonly regions?: readonly string[] | undefined;
}
