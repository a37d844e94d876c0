/** What a client is made from, and what its calls take. */
import type { CredentialProvider } from '../evidence/credentials.js';
import type { InstanceEvidence } from '../evidence/instance-evidence.js';
import type { NonceStore } from '../nonce/nonce-store.js';
import type { ProfileName } from '../wire-profile.js';
import type { Fetch } from './call-server.js';
import type { Login, TokenFacts } from './login.js';
import type { Sleep } from './retry.js';

export interface ClientOptions {
  /** `https://postern.example.com`; a path in front of `/v1/` may follow. `http` for the loopback address only. */
  readonly url: string;
  /** Where the auth method hangs below `/v1/`. Default `auth/cloud`, in the `vault` profile `auth/aws`. */
  readonly mountPath?: string;
  /** Names on the wire: Postern's own (default), or those of Vault and of what is compatible with it. */
  readonly profile?: ProfileName;
  /** Sent as `X-Vault-Namespace`; `vault` profile only. */
  readonly namespace?: string;
  /** What nonces are kept for, in place of the URL: for a server that has several addresses, or may get another. */
  readonly nonceScope?: string;
  /** Lets `http` to any address through. Tokens and proofs then travel in the clear. */
  readonly allowPlainHttp?: boolean;
  /** Default: the global one. */
  readonly fetch?: Fetch;
  /** Of each request. Milliseconds, default 10,000. */
  readonly timeoutMs?: number;
  /** Tries of each call where the server is not there or says later (429, 503). Default 4. */
  readonly maxAttempts?: number;
  /** Of all waiting between them. Milliseconds, default 15,000. */
  readonly maxRetryWaitMs?: number;
  /** Default: the machine's, epoch milliseconds. */
  readonly now?: () => number;
  readonly sleep?: Sleep;
  /** From 0 to 1, for jitter. */
  readonly random?: () => number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

interface InstanceLogin extends CallOptions {
  /** Default: the role named after the image id. */
  readonly role?: string | undefined;
  /** Default: `collectInstanceEvidence()`. */
  readonly evidence?: InstanceEvidence | (() => Promise<InstanceEvidence>);
}

/** The nonce from where it is kept, or one that you keep; empty: this login is the instance's last (NONCE-4). */
export type InstanceLoginOptions = InstanceLogin &
  ({ readonly nonces: NonceStore } | { readonly nonces?: undefined; readonly nonce: string });

export interface PrincipalLoginOptions extends CallOptions {
  /** Default: the role named after the principal. */
  readonly role?: string | undefined;
  readonly credentials: CredentialProvider;
  /** See `CallerIdentityOptions`. */
  readonly region?: string | undefined;
  readonly serverId?: string | undefined;
}

export interface RenewOptions extends CallOptions {
  /** Asks for so much; the server decides. Whole seconds. */
  readonly incrementSeconds?: number;
}

/** A call that manages the auth method. */
export interface ManagementCall extends CallOptions {
  readonly method: 'GET' | 'POST';
  /** Below the mount path: `data-keys/rotate`. */
  readonly path: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Every call rejects with a `PosternClientError`. */
export interface PosternClient {
  /** An instance shows its document and its nonce. With a store the nonce is made and kept before it is sent. */
  loginWithInstance(options: InstanceLoginOptions): Promise<Login>;
  /** A principal shows a request that it signed, anew at each try. */
  loginWithPrincipal(options: PrincipalLoginOptions): Promise<Login>;
  lookupSelf(token: string, options?: CallOptions): Promise<TokenFacts>;
  /** @returns the same token with its new lifetime. */
  renewSelf(token: string, options?: RenewOptions): Promise<Login>;
  revokeSelf(token: string, options?: CallOptions): Promise<void>;
  /**
   * Sent again like any other call where no answer came: for what may be done twice, or with `maxAttempts: 1`.
   *
   * @returns `data` of the answer, unchecked; empty where the answer has no `data`.
   */
  manage(token: string, call: ManagementCall): Promise<Readonly<Record<string, unknown>>>;
}
