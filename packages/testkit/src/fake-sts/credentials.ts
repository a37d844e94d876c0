/**
 * Who holds which key: long-term keys of users, temporary credentials of roles and sessions, and those of callers that no
 * role may admit (root, federated users). A key of a deleted or re-created principal is worth nothing (PRINCIPAL-2).
 */
import type { Clock, EpochMillis } from '@postern/ports';
import type { FakeInstance } from '../fake-cloud/instance-types.js';
import type { FakePrincipal } from '../fake-cloud/principals.js';
import type { KnownKey } from '../sigv4/verify-request.js';
import type { SigV4Credentials } from '../sigv4/wire-request.js';
import type { StsIdentity } from './sts-answer.js';
import { FakeStsError } from './sts-error.js';
import type { StsIds } from './sts-ids.js';

/** Credentials and whom they speak for. The first three members are what an AWS SDK takes. */
export interface FakeCredentials extends SigV4Credentials {
  readonly identity: StsIdentity;
  /** Temporary credentials only. */
  readonly expiresAt?: EpochMillis;
}

export interface AssumeRoleOptions {
  /** 2 to 64 characters of `[\w+=,.@-]`. */
  readonly sessionName: string;
  readonly externalId?: string;
  /** 900 to 43,200; 3,600 unless told. */
  readonly durationSeconds?: number;
  /** Account of the principal that assumes the role; default: the role's own. */
  readonly callerAccountId?: string;
}

/** Who may assume a role. Without a policy anybody with a key may. */
export interface TrustPolicy {
  /** Callers must present this one. */
  readonly externalId?: string;
  readonly accountIds?: readonly string[];
}

export interface CredentialIssuer {
  /** A long-term key of a user. */
  issueAccessKey(user: FakePrincipal): FakeCredentials;
  /** The key is unknown from now on. */
  revokeAccessKey(accessKeyId: string): void;
  /** Replaces the trust policy of a role. */
  setTrust(role: FakePrincipal, policy: TrustPolicy): void;
  /**
   * Credentials of a role session, as AssumeRole and its kin (web identity, SAML, SSO) give them.
   *
   * @throws FakeStsError `AccessDenied` when the role is gone or its trust policy says no, `ValidationError`.
   */
  assumeRole(role: FakePrincipal, options: AssumeRoleOptions): FakeCredentials;
  /** What the metadata service hands out: a session of the role named after the instance. */
  instanceCredentials(instance: Pick<FakeInstance, 'instanceId'>, role: FakePrincipal): FakeCredentials;
  /** Temporary credentials of a user (GetSessionToken): the identity is the user's. */
  issueSessionToken(user: FakePrincipal, options?: { readonly durationSeconds?: number }): FakeCredentials;
  /** `arn:…:sts::<account>:federated-user/<name>`. */
  issueFederatedUser(name: string, accountId?: string): FakeCredentials;
  /** A key of an account's root. */
  issueRootKey(accountId?: string): FakeCredentials;
}

export interface CredentialRegister extends CredentialIssuer {
  /** The key, if it exists in this partition and its owner still does. */
  find(accessKeyId: string, partition: string | undefined): (KnownKey & FakeCredentials) | undefined;
}

interface Surroundings {
  readonly clock: Clock;
  readonly ids: StsIds;
  readonly partition: string;
  readonly ownAccountId: string;
}

const DEFAULT_DURATION_SECONDS = 3_600;

export function credentialRegister({ clock, ids, partition, ownAccountId }: Surroundings): CredentialRegister {
  const keys = new Map<string, { readonly credentials: FakeCredentials; readonly isAlive: () => boolean }>();
  const trust = new Map<FakePrincipal, TrustPolicy>();

  const keep = (credentials: FakeCredentials, isAlive: () => boolean = () => true): FakeCredentials => {
    keys.set(credentials.accessKeyId, { credentials, isAlive });
    return credentials;
  };
  const longTerm = (identity: StsIdentity, isAlive?: () => boolean): FakeCredentials =>
    keep({ accessKeyId: ids.accessKeyId('AKIA'), secretAccessKey: ids.secretAccessKey(), identity }, isAlive);
  const temporary = (identity: StsIdentity, durationSeconds: number, isAlive?: () => boolean): FakeCredentials => {
    if (!Number.isInteger(durationSeconds) || durationSeconds < 900 || durationSeconds > 43_200) {
      throw new FakeStsError('ValidationError', 'a session lasts between 900 and 43200 seconds');
    }
    return keep(
      {
        accessKeyId: ids.accessKeyId('ASIA'),
        secretAccessKey: ids.secretAccessKey(),
        sessionToken: ids.sessionToken(),
        expiresAt: clock.now() + durationSeconds * 1_000,
        identity,
      },
      isAlive,
    );
  };
  const session = (role: FakePrincipal, sessionName: string, durationSeconds: number): FakeCredentials => {
    if (role.type !== 'role') throw new TypeError('only a role can be assumed');
    if (!/^[\w+=,.@-]{2,64}$/.test(sessionName)) throw new FakeStsError('ValidationError', 'malformed session name');
    const identity: StsIdentity = {
      accountId: role.accountId,
      arn: `arn:${partition}:sts::${role.accountId}:assumed-role/${role.name}/${sessionName}`,
      userId: `${role.uniqueId}:${sessionName}`,
    };
    return temporary(identity, durationSeconds, stillThere(role));
  };

  return {
    issueAccessKey: (user) => longTerm(userIdentity(user), stillThere(user)),
    revokeAccessKey: (accessKeyId) => keys.delete(accessKeyId),
    setTrust: (role, policy) => trust.set(role, policy),
    assumeRole(role, { sessionName, externalId, durationSeconds = DEFAULT_DURATION_SECONDS, callerAccountId }) {
      const { externalId: wanted, accountIds } = trust.get(role) ?? {};
      const isTrusted = accountIds === undefined || accountIds.includes(callerAccountId ?? role.accountId);
      if (!role.exists || !isTrusted || (wanted !== undefined && wanted !== externalId)) {
        throw new FakeStsError('AccessDenied', 'the caller is not authorized to perform: sts:AssumeRole');
      }
      return session(role, sessionName, durationSeconds);
    },
    instanceCredentials: ({ instanceId }, role) => session(role, instanceId, 6 * 3_600),
    issueSessionToken: (user, { durationSeconds = DEFAULT_DURATION_SECONDS } = {}) =>
      temporary(userIdentity(user), durationSeconds, stillThere(user)),
    issueFederatedUser(name, accountId = ownAccountId) {
      const arn = `arn:${partition}:sts::${accountId}:federated-user/${name}`;
      return temporary({ accountId, arn, userId: `${accountId}:${name}` }, DEFAULT_DURATION_SECONDS);
    },
    issueRootKey: (accountId = ownAccountId) =>
      longTerm({ accountId, arn: `arn:${partition}:iam::${accountId}:root`, userId: accountId }),
    find(accessKeyId, where) {
      if (where !== undefined && where !== partition) return undefined;
      const key = keys.get(accessKeyId);
      return key?.isAlive() === true ? key.credentials : undefined;
    },
  };
}

function userIdentity(user: FakePrincipal): StsIdentity {
  if (user.type !== 'user') throw new TypeError('only a user has keys of its own');
  return { accountId: user.accountId, arn: user.arn, userId: user.uniqueId };
}

function stillThere(principal: FakePrincipal): () => boolean {
  const { uniqueId } = principal;
  return () => principal.exists && principal.uniqueId === uniqueId;
}
