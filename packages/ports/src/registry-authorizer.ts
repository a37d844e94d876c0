import type { Awaitable, CallOptions } from './shared.js';

/** `read`: see modules and download them. `manage`: publish, delete, deprecate and reinstate as well. */
export type RegistryAction = 'read' | 'manage';

/** Who calls the registry. */
export interface RegistryCaller {
  /** Name for the history and the audit trail: never a token. */
  readonly name: string;
  /** What the authorizer needs to decide; the registry does not look at it. */
  readonly policies: readonly string[];
  /**
   * Whether the token holds still, for calls whose input took long to arrive; a use of it is not counted. Without it a token
   * that was accepted counts until its call ends. Rejects with `ProviderError` `unavailable` where it could not find out.
   */
  readonly holds?: (() => Awaitable<boolean>) | undefined;
}

/** Where a token is shown: for authorizers whose tokens are bound to addresses, or count their uses. */
export interface TokenUse extends CallOptions {
  /** The peer's IP address. */
  readonly peerAddress?: string | undefined;
  /** The same for all questions of one request. */
  readonly requestId?: string | undefined;
}

/** Who may do what in a registry. Rejects with `ProviderError` `unavailable` where it could not find out. */
export interface RegistryAuthorizer {
  /** The caller whose bearer token this is; undefined for a token that is wrong, revoked or over. */
  identify(token: string, use?: TokenUse): Awaitable<RegistryCaller | undefined>;
  /** Whether a caller may act on the modules of a namespace. Must not tell whether the namespace exists. */
  isAllowed(
    request: { readonly caller: RegistryCaller; readonly namespace: string; readonly action: RegistryAction },
    options?: CallOptions,
  ): Awaitable<boolean>;
  /** Namespaces that a caller may read, in byte order: what lists and searches walk. */
  readableNamespaces(caller: RegistryCaller, options?: CallOptions): Awaitable<readonly string[]>;
}
