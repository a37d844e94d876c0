/** What the fake cloud's instances offer to tests. */
import type { EpochMillis, InstanceFacts } from '@postern/ports';
import type { SignedDataOptions } from './signed-data-options.js';

/** States as the provider names them. */
export type InstanceState = 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';

export interface LaunchOptions {
  /** 12 digits; the cloud's own account unless told. */
  readonly accountId?: string;
  /** The cloud's region unless told. */
  readonly region?: string;
  /** Ids are made up unless told. */
  readonly instanceId?: string;
  readonly imageId?: string;
  readonly vpcId?: string;
  readonly subnetId?: string;
  /** None unless told. Need not exist. */
  readonly instanceProfileArn?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly instanceType?: string;
  readonly architecture?: string;
  /** `running` unless told. */
  readonly state?: InstanceState;
  /** The instance is not found by so many first lookups (eventual consistency); the cloud's setting unless told. */
  readonly invisibleForCalls?: number;
}

/** The four answers of the metadata service under `/latest/dynamic/instance-identity/`. Each is made when first read. */
export interface IdentityDocument {
  /** Exact text that is signed. */
  readonly document: string;
  /** Base64 of `document`, one line: the `identity` field of a login. */
  readonly documentBase64: string;
  /** DSA-SHA1 (encoding 2), base64 in lines of 76. */
  readonly pkcs7: string;
  /** RSA-2048 (encoding 5), base64 in lines of 76. */
  readonly rsa2048: string;
  /** RSA-1024 with SHA-256 over `document`, base64 in lines of 76. */
  readonly signature: string;
}

/** How a PKCS#7 value is to be made; every default is genuine. */
export interface Pkcs7Options extends SignedDataOptions {
  /** Changes members of the document before it is signed; undefined drops one. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Signs this instead of the instance's document. */
  readonly content?: string | Uint8Array;
}

export interface FakeInstance {
  readonly instanceId: string;
  readonly accountId: string;
  readonly region: string;
  readonly imageId: string;
  /** Undefined once terminated, as is the subnet. */
  readonly vpcId: string | undefined;
  readonly subnetId: string | undefined;
  readonly instanceProfileArn: string | undefined;
  readonly state: InstanceState;
  /** As the document spells it: `2026-02-16T00:38:27Z`. */
  readonly pendingTime: string;
  /** The same in epoch milliseconds; whole seconds. */
  readonly pendingTimeMillis: EpochMillis;
  readonly tags: ReadonlyMap<string, string>;
  /** What a lookup says now. */
  facts(): InstanceFacts;
  stop(): void;
  /** Starts a stopped instance elsewhere: a newer pendingTime, by a second at least, the sign of migration. */
  start(): void;
  /** The instance stays visible as `terminated`. */
  terminate(): void;
  /** No lookup finds the instance any more. */
  vanish(): void;
  setState(state: InstanceState): void;
  /** Replaces all tags. */
  setTags(tags: Readonly<Record<string, string>>): void;
  setInstanceProfile(arn: string | undefined): void;
  /** The documents of the present boot; the same values until the next start. */
  identityDocument(): IdentityDocument;
  /** A PKCS#7 value of any encoding, genuine or forged, as the metadata service spells it; made anew at each call. */
  pkcs7(options?: Pkcs7Options): string;
  /** The same as bytes. */
  pkcs7Der(options?: Pkcs7Options): Uint8Array;
}
