/** The public face of the auth method: what `createAuthMethod` returns. */
import type { HostFace, TokenFace } from './api/face-types.js';
import type { CallContext, OperationCall, Outcome, RefusedCall } from './call.js';
import type { Operation } from './operation.js';
import type { Policy } from './policies/policy.js';
import type { Permissions } from './policies/policy-book.js';
import type { RootTokenOptions } from './root-token.js';
import type { TokenHolder } from './tokens/authenticate.js';

/**
 * The auth method. Its typed methods (`login`, `roles.write`, `call` …) act for the embedding service itself: they need no
 * token and no permission, and are audited as `principal: "host"`; a login is that of its proof. `withToken` gives the same
 * methods with the rights of a token. Field names are those of the API; every typed method throws `AuthError` and nothing
 * else.
 *
 * @example
 * ```ts
 * await auth.roles.write('web', { auth_type: 'ec2', bound_region: 'us-east-1', token_policies: ['web'] });
 * const { auth: granted } = await auth.login({ role: 'web', pkcs7 });
 * const { data } = await auth.withToken(granted.client_token).tokens.lookupSelf();
 * await auth.call('role.delete', { role: 'web' });
 * ```
 */
export interface AuthMethod extends HostFace {
  /** Path below `/v1/`: `auth/cloud`. */
  readonly mountPath: string;
  /** The catalogue: every operation once. */
  readonly operations: readonly Operation[];
  /**
   * The typed methods for the holder of a token: it is authenticated at each call, and needs the right to manage where
   * the operation does.
   *
   * @param peerAddress the caller's IP address: a token with bound CIDRs is rejected without one.
   */
  withToken(token: string, caller?: { readonly peerAddress?: string | undefined }): TokenFace;
  /**
   * The untyped door, for transports: runs what a caller sent. Token, permission, fields, handler, audit event; in that
   * order. Where `fields` is a function it is called after the permission (WIRE-20).
   *
   * @throws AuthError with any code of `ERROR_KINDS`; nothing else.
   */
  handle(call: OperationCall): Promise<Outcome>;
  /**
   * `handle` without a token or permission check. Never pass it an operation that a caller chose.
   *
   * @throws AuthError like `handle`.
   */
  handleAsHost(call: Omit<OperationCall, 'token'>): Promise<Outcome>;
  /**
   * For transports: records a call that they refused before they could make it, such as one login too many (AUDIT-4).
   *
   * @throws AuthError `audit_unavailable`: then that is the answer.
   */
  recordRefusal(call: RefusedCall): Promise<void>;
  /**
   * Authenticates a token, for the host's own routes: one use of it (TOKEN-9), from `peerAddress`. Records no audit event:
   * the service that calls it has its own.
   *
   * @returns who holds it and with which policies; undefined where it is unknown, expired, revoked, used up or bound to
   *   another address.
   * @throws AuthError of kind `unavailable`, or `internal`: respond 503 or 500, never 401.
   * @example
   * ```ts
   * const holder = await auth.useToken(bearer, { requestId, peerAddress });
   * if (holder === undefined) return new Response('unauthorized', { status: 401 });
   * if (!holder.policies.includes('jobs')) return new Response('forbidden', { status: 403 });
   * ```
   */
  useToken(token: string, call: CallContext): Promise<TokenHolder | undefined>;
  /**
   * What policies grant, for the host's own routes, with the policies of `useToken`. They are read once; `root` is not one
   * of them: it grants everything without being asked.
   *
   * @throws AuthError of kind `unavailable`, or `internal`, where stored policies cannot be read: respond 503 or 500, never 403.
   * @example
   * ```ts
   * const { isAllowed } = await auth.permissionsOf(holder.policies);
   * if (!(await isAllowed('jobs/nightly', 'update'))) return new Response('forbidden', { status: 403 });
   * ```
   */
  permissionsOf(policies: readonly string[]): Promise<Permissions>;
  /**
   * Replaces the policies of the configuration, all of them or none; stored ones stay (POLICY-4).
   *
   * @throws TypeError that names each policy and pattern that cannot be used.
   */
  configurePolicies(policies: Readonly<Record<string, Policy>>): void;
  /**
   * Makes a token that may do everything. Only ever called by the operator at start-up (TOKEN-8).
   *
   * @param options `expiresInSeconds`: without it the token never expires.
   */
  createRootToken(options?: RootTokenOptions): Promise<string>;
  /**
   * For a timer of the host, about once a minute: removes what is long expired, at the first call and then once an hour
   * (TIDY-6). Resolves when that is done; between the hours it does nothing. Runs say in `tidy.status` how
   * they went.
   *
   * @throws AuthError `storage_unavailable`, `internal` where settings cannot be read: the next call tries again.
   */
  runPeriodicTidy(): Promise<void>;
  /**
   * Feeds the audit sink with events that were committed and not recorded: those of this process that its sink refused, and
   * those that dead processes left (AUDIT-6). `runPeriodicTidy` does it too; a host with a sink that can fail calls it at its
   * start. Events are otherwise fed right after their commit.
   *
   * @throws StorageError where the storage cannot be read.
   */
  feedAudit(): Promise<void>;
  /** Waits for runs of tidying that go on in the background. */
  settled(): Promise<void>;
  /**
   * Before the storage is closed: ends runs of tidying at their next page and waits for them. No more are started. Feeds the
   * audit sink with what waits, for at most five seconds.
   */
  close(): Promise<void>;
  /** Warnings an operator should see at start-up and in health: certificates expired, about to, or of no use. */
  warnings(): Promise<readonly string[]>;
}

/** What a transport needs of the method. */
export type AuthDoor = Pick<AuthMethod, 'mountPath' | 'operations' | 'handle' | 'recordRefusal'>;
