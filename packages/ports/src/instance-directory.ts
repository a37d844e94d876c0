import type { EpochMillis } from './clock.js';
import type { CallOptions } from './shared.js';

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
