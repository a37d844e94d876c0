import type { CallOptions } from './shared.js';

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
   * @returns the principal's full ARN (path included) and unique id, or undefined when there is none of that name.
   * @throws ProviderError when it could not find out.
   */
  describePrincipal(
    query: PrincipalQuery,
    options?: CallOptions,
  ): Promise<{ readonly arn: string; readonly uniqueId: string } | undefined>;
}
