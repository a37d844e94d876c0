/** What callers send with a command, as a transport passes it on. Everything in it is checked before use (./schemas.ts). */
import type { Awaitable } from '@postern/ports';
import type { ReasonClass } from '../version-status.js';

/**
 * Input, or a function that reads it: called at most once, after the caller's right is known, so that a request body is
 * neither read nor judged for a caller who may not send one (REG-10).
 */
export type InputSource<T extends object> = T | (() => Awaitable<T>);

/** Members left out or null are not given. */
export interface RevocationInput {
  /** At most 2,000 characters, no control characters but newline and tab (REG-5). */
  readonly reason?: string | null | undefined;
  /** Absolute `http` or `https` URL of at most 2,000 characters (REG-5). */
  readonly link?: string | null | undefined;
}

/** Members left out or null are not given. */
export interface DeprecationInput extends RevocationInput {
  readonly reasonClass?: ReasonClass | null | undefined;
  /** At least one of the two. */
  readonly replacement?:
    | { readonly module?: string | null | undefined; readonly version?: string | null | undefined }
    | null
    | undefined;
  /** `2027-01-31` (its first instant in UTC) or an RFC 3339 instant. */
  readonly sunset?: string | null | undefined;
}

export interface RangeInput extends DeprecationInput {
  /** Terraform's constraint syntax: `~> 1.2`, `>= 1.0, < 2.0`, `1.4.2`. */
  readonly range: string;
  /**
   * Include prereleases, in their order by semantic version. Default false: as in Terraform, a prerelease is matched only
   * by its exact version (`= 2.0.0-beta.1`).
   */
  readonly includePrereleases?: boolean | undefined;
  /** Reinstate instead of deprecate: then without a notice. Default false. */
  readonly reinstate?: boolean | undefined;
  /** Only list what would be changed. */
  readonly dryRun: boolean;
}

/** A command upon one version. */
export type VersionCommand =
  | { readonly name: 'deprecate'; readonly input: DeprecationInput }
  | { readonly name: 'revoke'; readonly input: RevocationInput }
  | { readonly name: 'reinstate' | 'unrevoke' };
