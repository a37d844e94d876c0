/** The fake cloud as tests, the sandbox and embedders see it. */
import type { CallerIdentitySource, Clock, Cloud, RandomSource } from '@postern/ports';
import type { FakeSts } from '../fake-sts/fake-sts-types.js';
import type { DirectoryMethod, FakeCloudCall, MethodBehaviour, Sleep } from './behaviour.js';
import type { CertificateOptions } from './certificate.js';
import type { FakeInstance, LaunchOptions } from './instance-types.js';
import type { FakeInstanceProfile, FakePrincipal, PrincipalOptions } from './principals.js';
import type { KeyHolder, RegionKeyKind } from './region-keys.js';
import type { SignedDataOptions } from './signed-data-options.js';

export interface FakeCloudOptions {
  /** Stamps pending times, signing times and calls. */
  readonly clock: Clock;
  /** Source of ids; wins over `seed`. Keys are never drawn from it. */
  readonly random?: RandomSource;
  /** The same seed gives the same ids in the same order. */
  readonly seed?: string;
  /** Where instances run unless told; `us-east-1` unless told. Its partition is the partition of all principals. */
  readonly region?: string;
  /** Regions whose certificates `defaultCertificates` holds before anything was launched there. */
  readonly regions?: readonly string[];
  /** 12 digits; `111122223333` unless told. */
  readonly ownAccountId?: string;
  readonly associatedAccountIds?: readonly string[];
  /** How a lagging method waits; real time unless told. */
  readonly sleep?: Sleep;
  /** How many lookups do not yet see a new instance; 0 unless told. */
  readonly invisibleForCalls?: number;
}

/** PEM text of a region's certificates. */
export interface RegionCertificates {
  /** For documents of encodings 1 and 2. Signed with SHA-1, as the real one is. */
  readonly pkcs7Dsa: string;
  /** For documents of encodings 3 to 5. */
  readonly pkcs7Rsa2048: string;
  /** For `signature`. */
  readonly identityRsa: string;
}

/** A certificate to trust, in the shape of a built-in set. */
export interface TrustedCertificate {
  readonly pem: string;
  readonly type: 'pkcs7' | 'identity';
  readonly regions: readonly string[];
  readonly name: string;
}

/** A `Cloud`, to be passed to `createAuthMethod` as it is; and the levers that tests pull. */
export interface FakeCloud extends Cloud {
  /** Its STS: issues credentials, signs logins, and answers `callerIdentity`. */
  readonly sts: FakeSts;
  readonly callerIdentity: CallerIdentitySource;
  readonly region: string;
  readonly ownAccountId: string;
  /** What each directory method does to its callers: throttles, fails, denies, lags, hangs. */
  readonly behaviour: Readonly<Record<DirectoryMethod, MethodBehaviour>>;
  /** Every call that reached the cloud, in order. */
  readonly calls: readonly FakeCloudCall[];
  clearCalls(): void;
  /** Lets questions about another account through; all others fail with `account_not_allowed` and are not logged. */
  associateAccount(accountId: string): void;
  dissociateAccount(accountId: string): void;
  /** @throws TypeError when the given instance id is there already. */
  launchInstance(options?: LaunchOptions): FakeInstance;
  instance(instanceId: string): FakeInstance | undefined;
  createUser(options: PrincipalOptions): FakePrincipal;
  createRole(options: PrincipalOptions): FakePrincipal;
  /** The user, role or instance profile that has this ARN now. Not a lookup: it is not logged and knows all accounts. */
  principal(arn: string): FakePrincipal | undefined;
  createInstanceProfile(options: PrincipalOptions & { readonly roleArns?: readonly string[] }): FakeInstanceProfile;
  /** Certificates of a region, the cloud's own unless told. */
  certificates(region?: string): RegionCertificates;
  /** Another certificate over a region's key: renewed, expired, signed with SHA-1, or an imposter's. PEM. */
  issueCertificate(
    options: {
      readonly region?: string;
      readonly kind: RegionKeyKind;
      readonly holder?: KeyHolder;
    } & CertificateOptions,
  ): string;
  /** Everything to trust: of the regions given, or of all configured and launched in so far. */
  defaultCertificates(regions?: readonly string[]): readonly TrustedCertificate[];
  /** PKCS#7 over any content with a region's key, signed now; base64 in lines of 76. */
  signContent(content: string | Uint8Array, options?: { readonly region?: string } & SignedDataOptions): string;
  /** The `signature` value over any document; base64 in lines of 76. */
  signIdentity(
    document: string | Uint8Array,
    options?: { readonly region?: string; readonly holder?: KeyHolder },
  ): string;
}
