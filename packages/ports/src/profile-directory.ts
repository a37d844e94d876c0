import type { CallOptions } from './shared.js';

export interface ProfileQuery {
  /** The account of the proof; the profile must be in it. */
  readonly accountId: string;
  readonly region: string;
  readonly instanceProfileArn: string;
}

/** Looks up the roles that an instance profile holds. */
export interface ProfileDirectory {
  /**
   * @returns full ARNs, paths included, of the roles in the profile; undefined when there is no such profile.
   * @throws ProviderError when it could not find out; `denied` when we are not permitted to ask.
   */
  rolesOfProfile(query: ProfileQuery, options?: CallOptions): Promise<readonly string[] | undefined>;
}
