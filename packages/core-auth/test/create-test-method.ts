/** An auth method on memory storage, the fake cloud and a clock under the test's hand, with its insides in reach. */
import { createNodeCrypto } from '@postern/crypto-node';
import type { AuditEvent, Authorizer, RandomSource, Storage } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createManualClock, type FakeInstance } from '@postern/testkit';
import type { AccessListEntry } from '../src/access-list/entry.js';
import { createAuthMethod } from '../src/auth-method.js';
import type { OperationCall, Outcome } from '../src/call.js';
import { createMethodContext } from '../src/method-context.js';
import type { AuthOptions, AuthPorts } from '../src/options.js';
import type { Role } from '../src/roles/role.js';
import type { AuthView } from '../src/tokens/auth-view.js';

export const ACCOUNT = '111111111111';
export const START = Date.UTC(2026, 10, 21, 9);
export const DAY = 86_400_000;

export interface TestMethodOptions {
  /** Wraps or replaces the memory storage. */
  readonly storage?: (inner: Storage) => Storage;
  readonly options?: AuthOptions;
  readonly authorizer?: Authorizer;
  readonly random?: RandomSource;
  readonly audit?: (event: AuditEvent) => void;
}

const crypto = createNodeCrypto();

export function createTestMethod(how: TestMethodOptions = {}) {
  const clock = createManualClock(START);
  const cloud = createFakeCloud({ clock, seed: 'core-auth', ownAccountId: ACCOUNT });
  const memory = createMemoryStorage();
  const storage = how.storage?.(memory) ?? memory;
  const events: AuditEvent[] = [];
  const ports: AuthPorts = {
    storage,
    clock,
    random: how.random ?? crypto,
    verifier: crypto,
    digest: crypto,
    hmac: crypto,
    instances: cloud.instanceDirectory,
    profiles: cloud.profileDirectory,
    principals: cloud.principalDirectory,
    audit: {
      record: (event) => {
        how.audit?.(event);
        events.push(event);
      },
    },
    ...(how.authorizer === undefined ? {} : { authorizer: how.authorizer }),
  };
  const options = { builtInCertificates: cloud.defaultCertificates(), ...how.options };
  const method = createAuthMethod(ports, options);
  // Straight to what is stored: faults strike the method, never the test's own reads.
  const inside = createMethodContext({ ...ports, storage: memory }, options);
  let calls = 0;

  async function call(operation: string, more: Partial<OperationCall> = {}): Promise<Outcome> {
    calls += 1;
    return method.call({
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
    await memory.commit([inside.collections.roles.put(role.name, role, 'any')]);
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
      ...changes,
    };
    await memory.commit([inside.collections.accessList.put(instanceId, entry, 'any', entry.expiresAt)]);
  }

  return {
    clock,
    cloud,
    memory,
    method,
    inside,
    events,
    call,
    login,
    putRole,
    putEntry,
    entry: async (instanceId: string) => (await inside.collections.accessList.get(instanceId))?.value,
    tokens: () => inside.collections.tokens.allIds(),
  };
}

export type TestMethod = ReturnType<typeof createTestMethod>;

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
