/**
 * What the auth method asks of a cloud, as one object. An answer of `undefined` means that the cloud knows none; "could not
 * find out" is always a `ProviderError`.
 */
import type { EpochMillis } from './clock.js';
import type { CallOptions } from './shared.js';

/**
 * The cloud: `createAwsProvider(…)` of `@postern/provider-aws`, `createFakeCloud(…)` of `@postern/testkit`, or your own. The
 * three look-ups are required; a cloud that holds no profiles or principals returns `undefined` from theirs.
 *
 * @example
 * ```ts
 * const cloud: Cloud = {
 *   describeInstance: async ({ instanceId }) => inventory.get(instanceId),
 *   rolesOfProfile: async () => undefined,
 *   describePrincipal: async () => undefined,
 * };
 * ```
 */
export interface Cloud extends InstanceDirectory, ProfileDirectory, PrincipalDirectory {
  /** Sends signed requests to STS. Without it, logins and renewals of type `iam` fail with `auth_type_not_enabled`. */
  readonly callerIdentity?: CallerIdentitySource | undefined;
  /** Creates and deletes access keys. Without it, rotate-root fails with `rotation_not_enabled`. */
  readonly accessKeys?: AccessKeys | undefined;
}

/** Which instance, and where to look for it. */
export interface InstanceQuery {
  /** 12 digits. */
  readonly accountId: string;
  readonly region: string;
  readonly instanceId: string;
  /**
   * The instance cannot be older than this. The provider does not see an instance for some seconds after its launch: where
   * this is recent, an adapter may look again within a bound before it says that there is none.
   */
  readonly launchedAfter?: EpochMillis | undefined;
}

/** What the cloud says of an instance. Absent facts are absent, never empty text. */
export interface InstanceFacts {
  readonly instanceId: string;
  /** The account that owns the instance, where the provider says so. */
  readonly accountId: string | undefined;
  readonly region: string;
  /** `running`, `stopped`, `terminated` … as the provider says. */
  readonly state: string;
  readonly imageId: string | undefined;
  readonly vpcId: string | undefined;
  readonly subnetId: string | undefined;
  readonly instanceProfileArn: string | undefined;
  /** Tag key to value, keys as the provider spells them. */
  readonly tags: ReadonlyMap<string, string>;
}

/** Looks instances up. Adapters may send concurrent questions of one account and region as one call (INSTANCE-3). */
export interface InstanceDirectory {
  /**
   * @returns the instance, or undefined when the provider knows none of that id.
   * @throws ProviderError when it could not find out.
   */
  describeInstance(query: InstanceQuery, options?: CallOptions): Promise<InstanceFacts | undefined>;
}

export interface ProfileQuery {
  /** The account of the proof; the profile must be in it. */
  readonly accountId: string;
  readonly region: string;
  readonly instanceProfileArn: string;
}

/** A role in an instance profile. */
export interface ProfileRole {
  /** Full, path included. */
  readonly arn: string;
  /** Undefined where the provider does not say. */
  readonly uniqueId: string | undefined;
}

/** Looks up the roles that an instance profile holds. */
export interface ProfileDirectory {
  /**
   * @returns the roles in the profile, or their full ARNs alone; undefined when there is no such profile.
   * @throws ProviderError when it could not find out; `denied` when we are not permitted to ask.
   */
  rolesOfProfile(query: ProfileQuery, options?: CallOptions): Promise<readonly (ProfileRole | string)[] | undefined>;
}

/** A user or role by friendly name. */
export interface PrincipalQuery {
  readonly partition: string;
  readonly accountId: string;
  readonly type: 'user' | 'role' | 'instance-profile';
  /** Friendly name: the last piece of the ARN, without its path. */
  readonly name: string;
}

/** Looks up principals of the cloud. */
export interface PrincipalDirectory {
  /**
   * @returns the principal's full ARN (path included) and unique id, or undefined if no principal has that name.
   * @throws ProviderError when it could not find out.
   */
  describePrincipal(
    query: PrincipalQuery,
    options?: CallOptions,
  ): Promise<{ readonly arn: string; readonly uniqueId: string } | undefined>;
}

/** A GetCallerIdentity request that core rebuilt from checked parts. Adapters send it exactly as it stands. */
export interface CallerIdentityRequest {
  readonly method: 'POST' | 'GET';
  /** Where to connect: the operator's endpoint, never the client's word. */
  readonly endpoint: string;
  /** Path with query. */
  readonly target: string;
  /** Includes `host`, which the client signed; in the order to be sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
}

/** The answer as received, for core to judge. */
export interface CallerIdentityAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  /** Of an answer beyond 64 KiB, 64 KiB and one byte or more: core denies the login. */
  readonly body: Uint8Array;
  readonly retryAfterSeconds: number | undefined;
}

/** Sends the rebuilt request to STS, once, following no redirect. */
export interface CallerIdentitySource {
  /** @throws ProviderError `unavailable` on timeout or connection failure. */
  send(request: CallerIdentityRequest, options?: CallOptions): Promise<CallerIdentityAnswer>;
}

/** A static key pair. The secret never reaches a log, an error or `inspect`. */
export interface AccessKeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What rotate-root needs of the provider (ROTATE-2). Each call uses the pair it is given. */
export interface AccessKeys {
  /**
   * Creates a second key for the user that `current` belongs to.
   *
   * @returns undefined where the user has as many keys as it may have: none was created.
   */
  create(current: AccessKeyPair, options?: CallOptions): Promise<AccessKeyPair | undefined>;
  /** Whether the pair works yet; the provider is eventually consistent. */
  prove(pair: AccessKeyPair, options?: CallOptions): Promise<boolean>;
  /** Ids of all keys of the user that `current` belongs to. */
  list(current: AccessKeyPair, options?: CallOptions): Promise<readonly string[]>;
  /** Deletes a key by id; deleting a missing key succeeds. */
  delete(current: AccessKeyPair, accessKeyId: string, options?: CallOptions): Promise<void>;
}
