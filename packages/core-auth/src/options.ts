/** What `createAuthMethod` takes: the ports it works through and how it is set up. */
import type {
  AccessKeys,
  AuditSink,
  Authorizer,
  CallerIdentitySource,
  CallOptions,
  Cipher,
  Clock,
  Digest,
  Hmac,
  InstanceDirectory,
  PrincipalDirectory,
  ProfileDirectory,
  RandomSource,
  SignatureVerifier,
  Storage,
  TokenIssuer,
} from '@postern/ports';

/** Everything that reaches outside. */
export interface AuthPorts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly verifier: SignatureVerifier;
  readonly digest: Digest;
  readonly hmac: Hmac;
  /** Seals batch tokens. */
  readonly cipher: Cipher;
  readonly instances: InstanceDirectory;
  readonly profiles: ProfileDirectory;
  readonly principals: PrincipalDirectory;
  readonly audit: AuditSink;
  /** Without one, only `root` may manage. */
  readonly authorizer?: Authorizer;
  /** Sends signed requests to STS. Without one, logins and renewals of type `iam` are `auth_type_not_enabled`. */
  readonly callerIdentity?: CallerIdentitySource;
  /** What rotate-root needs. Without one it is `rotation_not_enabled`. */
  readonly accessKeys?: AccessKeys;
  /** Waits between tries of rotate-root. Without one they follow each other at once. */
  readonly sleep?: (milliseconds: number, options?: CallOptions) => Promise<void>;
  /** Without one, tokens are random 256-bit texts. */
  readonly tokenIssuer?: TokenIssuer;
}

export interface AuthOptions {
  /** Path below `/v1/`, without slashes at the ends. Default `auth/cloud`. */
  readonly mountPath?: string;
  /** Prefix of every storage key, ends with `/`. Default `postern/auth/`. */
  readonly storagePrefix?: string;
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
   * Take each signed request of an `iam` login once only, within this process (STS-14). Default false: what guards
   * between servers is the server-ID header.
   */
  readonly refuseReplays?: boolean;
  /** The built-in provider certificates. Replace them in tests and private clouds; extend them when AWS adds a region. */
  readonly builtInCertificates?: readonly BuiltInCertificate[];
  /**
   * Called after this process stored or deleted a client configuration or STS association, so that provider adapters
   * can drop the clients they made from it.
   */
  readonly onProviderConfigChange?: () => void;
}

/** A trusted certificate of the provider. */
export interface BuiltInCertificate {
  readonly pem: string;
  readonly type: 'pkcs7' | 'identity';
  /** Regions whose documents its key may sign; undefined means any. */
  readonly regions?: readonly string[] | undefined;
}
