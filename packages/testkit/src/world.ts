/**
 * An auth method that a test can use in three lines: on a fake cloud, memory storage, node:crypto and a clock that stands still.
 * Above adapters and core, unlike the rest of the testkit: a subpath with its own, optional, peer dependencies.
 */
import { type AuthMethod, type AuthOptions, type AuthPorts, type AuthView, createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import type { AuditEvent, EpochMillis, Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createManualClock, type ManualClock } from './clock/manual-clock.js';
import { createFakeCloud } from './fake-cloud/fake-cloud.js';
import type { FakeCloud, FakeCloudOptions } from './fake-cloud/fake-cloud-types.js';
import type { FakeInstance } from './fake-cloud/instance-types.js';
import type { FakePrincipal } from './fake-cloud/principals.js';

export interface TestWorldOptions {
  /** Where the clock stands at first; 2026-01-01T00:00:00Z unless told. */
  readonly start?: EpochMillis;
  /** The same seed gives the same ids in the same order; `test world` unless told. */
  readonly cloud?: Omit<FakeCloudOptions, 'clock'>;
  /** In place of those made here: an authorizer, a token issuer, another storage. */
  readonly ports?: Partial<Omit<AuthPorts, 'clock' | 'cloud' | 'audit'>>;
  readonly options?: AuthOptions;
}

/** What both kinds of login may say. */
export interface LoginOptions {
  /**
   * A role that the test has written. Without one the world writes a role that admits the caller, with the policies given,
   * the same for the same policies.
   */
  readonly role?: string;
  /** Of the role that the world writes: `['web']` gives a token with `default` and `web`. */
  readonly policies?: readonly string[];
  readonly peerAddress?: string;
}

export interface InstanceLoginOptions extends LoginOptions {
  /** A new one unless told. */
  readonly instance?: FakeInstance;
  /** That of the instance's first login, for a later one. */
  readonly nonce?: string;
}

export interface PrincipalLoginOptions extends LoginOptions {
  /** A user or role of the cloud; a role named `deployer` unless told. */
  readonly principal?: FakePrincipal;
}

export interface TestLogin {
  readonly token: string;
  /** The `auth` object of the response. */
  readonly auth: AuthView;
}

export interface InstanceLogin extends TestLogin {
  readonly instance: FakeInstance;
  /** The instance's later logins must send it; undefined where the role asks for none. */
  readonly nonce: string | undefined;
}

export interface PrincipalLogin extends TestLogin {
  readonly principal: FakePrincipal;
}

export interface TestWorld {
  readonly clock: ManualClock;
  readonly cloud: FakeCloud;
  readonly storage: Storage;
  readonly auth: AuthMethod;
  /** Audit events so far, oldest first. */
  readonly events: readonly AuditEvent[];
  /** What `auth` was made of: for a service of yours that makes its own method, or a second one on the same storage. */
  readonly ports: AuthPorts & { readonly clock: ManualClock; readonly cloud: FakeCloud };
  readonly options: AuthOptions;
  /** Logs an instance in by its signed identity document. @throws AuthError as the method does. */
  login(how?: InstanceLoginOptions): Promise<InstanceLogin>;
  /** Logs a user or role in by a signed request to the fake STS. @throws AuthError as the method does. */
  loginPrincipal(how?: PrincipalLoginOptions): Promise<PrincipalLogin>;
}

/**
 * Makes a world with nothing in it but the method.
 *
 * @example
 * ```ts
 * const { auth, clock, login } = createTestWorld();
 * const { token } = await login({ policies: ['jobs'] });
 * clock.advance(768 * 3_600_000); // the token has expired
 * ```
 */
export function createTestWorld(given: TestWorldOptions = {}): TestWorld {
  const clock = createManualClock(given.start ?? Date.UTC(2026, 0, 1));
  const cloud = createFakeCloud({ seed: 'test world', ...given.cloud, clock });
  const events: AuditEvent[] = [];
  const ports = {
    storage: createMemoryStorage(),
    crypto: createNodeCrypto(),
    ...given.ports,
    clock,
    cloud,
    audit: { record: (event: AuditEvent) => void events.push(event) },
  };
  const options = { builtInCertificates: cloud.defaultCertificates(), ...given.options };
  const auth = createAuthMethod(ports, options);

  /** Roles that the world has written, by what they admit. */
  const written = new Map<string, Promise<string>>();

  function roleFor(bounds: { readonly auth_type: 'ec2' | 'iam' }, policies: readonly string[]): Promise<string> {
    const fields = { ...bounds, token_policies: policies };
    const key = JSON.stringify(fields);
    const name = `test-${bounds.auth_type}-${written.size + 1}`;
    const role = written.get(key) ?? auth.roles.write(name, fields).then(() => name);
    written.set(key, role);
    return role;
  }

  return {
    ...{ clock, cloud, auth, events, ports, options },
    storage: ports.storage,
    async login({ role, policies = [], instance = cloud.launchInstance(), nonce, peerAddress } = {}) {
      const bounds = { auth_type: 'ec2', bound_account_id: instance.accountId } as const;
      const pkcs7 = instance.identityDocument().rsa2048;
      const fields = { role: role ?? (await roleFor(bounds, policies)), pkcs7 };
      const { auth: view } = await auth.login(nonce === undefined ? fields : { ...fields, nonce }, { peerAddress });
      return { token: view.client_token, auth: view, instance, nonce: view.metadata['nonce'] ?? nonce };
    },
    async loginPrincipal({ role, policies = [], principal = deployerOf(cloud), peerAddress } = {}) {
      const { sts } = cloud;
      const bounds = { auth_type: 'iam', bound_iam_principal_arn: [principal.arn] } as const;
      const credentials =
        principal.type === 'user'
          ? sts.issueAccessKey(principal)
          : sts.assumeRole(principal, { sessionName: 'test-session' });
      const signed = sts.signLogin({ credentials, headersForm: 'base64' });
      const headers = { iam_request_headers: String(signed.iam_request_headers) };
      const fields = { role: role ?? (await roleFor(bounds, policies)), ...signed, ...headers };
      const { auth: view } = await auth.login(fields, { peerAddress });
      return { token: view.client_token, auth: view, principal };
    },
  };
}

/** One role for all logins that name no principal. */
function deployerOf(cloud: FakeCloud): FakePrincipal {
  const partition = cloud.region.startsWith('cn-')
    ? 'aws-cn'
    : cloud.region.startsWith('us-gov-')
      ? 'aws-us-gov'
      : 'aws';
  const arn = `arn:${partition}:iam::${cloud.ownAccountId}:role/deployer`;
  return cloud.principal(arn) ?? cloud.createRole({ name: 'deployer' });
}
