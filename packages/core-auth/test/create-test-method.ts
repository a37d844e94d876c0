/** An auth method on memory storage, the fake cloud and a clock under the test's hand, with its insides in reach. */
import { createNodeCrypto } from '@postern/crypto-node';
import type { AuditEvent, Authorizer, Cloud, RandomSource, Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import {
  createFakeCloud,
  createManualClock,
  type FakeCloud,
  type FakeInstance,
  type ManualClock,
} from '@postern/testkit';
import type { AccessListEntry } from '../src/access-list/entry.js';
import { createAuthMethod } from '../src/auth-method.js';
import type { AuthMethod } from '../src/auth-method-api.js';
import type { OperationCall, Outcome } from '../src/call.js';
import { createMethodContext, type MethodContext } from '../src/method-context.js';
import type { AuthOptions, AuthPorts, ResolvedAuthPorts } from '../src/options.js';
import type { Role } from '../src/roles/role.js';
import type { AuthView } from '../src/tokens/auth-view.js';

export const ACCOUNT = '111111111111';
export const START = Date.UTC(2026, 10, 21, 9);
export const DAY = 86_400_000;

/** Ports in place of those made here; of the cloud, what is not named stays. */
export type TestPorts = Partial<Omit<AuthPorts, 'cloud'>> & { readonly cloud?: Partial<Cloud> };

export interface TestMethodOptions {
  /** Wraps or replaces the memory storage. */
  readonly storage?: (inner: Storage) => Storage;
  readonly options?: AuthOptions;
  readonly authorizer?: Authorizer;
  readonly random?: RandomSource;
  readonly audit?: (event: AuditEvent) => void;
  /** Further ports, or others in place of those made here. */
  readonly ports?: (made: { readonly cloud: FakeCloud; readonly clock: ManualClock }) => TestPorts;
  /** Another method on the same storage, cloud and clock: a second process. */
  readonly beside?: TestMethod;
}

const crypto = createNodeCrypto();

export function createTestMethod(how: TestMethodOptions = {}): TestMethod {
  const clock = how.beside?.clock ?? createManualClock(START);
  const cloud = how.beside?.cloud ?? createFakeCloud({ clock, seed: 'core-auth', ownAccountId: ACCOUNT });
  const memory = how.beside?.memory ?? createMemoryStorage();
  const storage = how.storage?.(memory) ?? memory;
  const events: AuditEvent[] = [];
  const others = how.ports?.({ cloud, clock });
  const ports: ResolvedAuthPorts = {
    storage,
    clock,
    crypto: { ...crypto, ...how.random },
    audit: {
      record: (event) => {
        how.audit?.(event);
        events.push(event);
      },
    },
    ...(how.authorizer === undefined ? {} : { authorizer: how.authorizer }),
    ...others,
    // Principals do not log in unless a test says so: `createIamWorld` does.
    cloud: { ...cloud, callerIdentity: undefined, ...others?.cloud },
  };
  const options = { builtInCertificates: cloud.defaultCertificates(), ...how.options };
  const method = createAuthMethod(ports, options);
  const inside = createMethodContext({ ...ports, storage: memory }, options);
  let calls = 0;

  async function call(operation: string, more: Partial<OperationCall> = {}): Promise<Outcome> {
    calls += 1;
    return method.handle({
      operation,
      params: {},
      fields: {},
      token: undefined,
      requestId: `request-${calls}`,
      peerAddress: '10.0.0.1',
      ...more,
    });
  }

  async function login(
    instance: FakeInstance,
    fields: Readonly<Record<string, unknown>> = {},
    more: Partial<OperationCall> = {},
  ): Promise<AuthView> {
    const outcome = await call('login', {
      fields: { pkcs7: instance.identityDocument().rsa2048, role: 'r', ...fields },
      ...more,
    });
    if (outcome.auth === undefined) throw new TypeError('a login answered without auth');
    return outcome.auth;
  }

  async function putRole(changes: Partial<Role> = {}): Promise<void> {
    const role = testRole(changes);
    await memory.commit([await inside.collections.roles.put(role.name, role, 'any')]);
  }

  async function putEntry(instanceId: string, changes: Partial<AccessListEntry> = {}): Promise<void> {
    const now = clock.now();
    const entry: AccessListEntry = {
      role: 'r',
      clientNonce: 'N',
      disallowReauthentication: false,
      pendingTime: '2020-01-01T00:00:00Z',
      createdAt: now,
      updatedAt: now,
      expiresAt: now + 32 * DAY,
      accountId: ACCOUNT,
      region: 'us-east-1',
      ...changes,
    };
    await memory.commit([inside.collections.accessList.put(instanceId, entry, 'any', entry.expiresAt)]);
  }

  return {
    clock,
    cloud,
    memory,
    method,
    context: createMethodContext(ports, options),
    inside,
    events,
    call,
    host: (operation, params = {}, fields = {}) =>
      method.handleAsHost({ operation, params, fields, requestId: 'host', peerAddress: undefined }),
    login,
    putRole,
    putEntry,
    entry: async (instanceId: string) => (await inside.collections.accessList.get(instanceId))?.value,
    tokens: () => inside.collections.tokens.allIds(),
  };
}

export interface TestMethod {
  readonly clock: ManualClock;
  readonly cloud: FakeCloud;
  readonly memory: Storage;
  readonly method: AuthMethod;
  /** The method's own view, faults included. */
  readonly context: MethodContext;
  /** Straight to the memory storage: faults never strike the test's own reads. */
  readonly inside: MethodContext;
  readonly events: AuditEvent[];
  readonly call: (operation: string, more?: Partial<OperationCall>) => Promise<Outcome>;
  /** As the host, with everything allowed. */
  readonly host: (
    operation: string,
    params?: Readonly<Record<string, string>>,
    fields?: Readonly<Record<string, unknown>>,
  ) => Promise<Outcome>;
  readonly login: (
    instance: FakeInstance,
    fields?: Readonly<Record<string, unknown>>,
    more?: Partial<OperationCall>,
  ) => Promise<AuthView>;
  readonly putRole: (changes?: Partial<Role>) => Promise<void>;
  readonly putEntry: (instanceId: string, changes?: Partial<AccessListEntry>) => Promise<void>;
  readonly entry: (instanceId: string) => Promise<AccessListEntry | undefined>;
  /** Accessors of all stored tokens. */
  readonly tokens: () => Promise<readonly string[]>;
}

/** The code that a call ends with; `allowed` where it does not fail. */
export async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return 'allowed';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

/** An `ec2` role that any instance of the account meets. */
export function testRole(changes: Partial<Role> = {}): Role {
  return {
    name: 'r',
    roleId: 'id-of-r',
    hmacKey: 'key-of-r',
    authType: 'ec2',
    boundAccountIds: [ACCOUNT],
    boundAmiIds: [],
    boundRegions: [],
    boundVpcIds: [],
    boundSubnetIds: [],
    boundIamRoleArns: [],
    boundIamInstanceProfileArns: [],
    boundEc2InstanceIds: [],
    boundIamPrincipalArns: [],
    boundIamPrincipalIds: [],
    inferredEntityType: '',
    inferredRegion: '',
    requireInferredProfile: false,
    resolveUniqueIds: true,
    roleTagKey: '',
    allowInstanceMigration: false,
    disallowReauthentication: false,
    maxDocumentAgeSeconds: 0,
    token: tokenParameters(),
    legacy: { ttlSeconds: 0, maxTtlSeconds: 0, periodSeconds: 0, policies: [] },
    ...changes,
  };
}

export function tokenParameters(changes: Partial<Role['token']> = {}): Role['token'] {
  return {
    ttlSeconds: 0,
    maxTtlSeconds: 0,
    explicitMaxTtlSeconds: 0,
    periodSeconds: 0,
    policies: [],
    noDefaultPolicy: false,
    numUses: 0,
    boundCidrs: [],
    type: 'default',
    ...changes,
  };
}
