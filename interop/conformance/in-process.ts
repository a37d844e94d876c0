/** The method and the registry behind their HTTP door in this process: no socket, no SDK; the simulated cloud as ports. */
import { createHostedCatalogue } from '@postern/catalogue';
import {
  createSimulatedCloud,
  PROFILES,
  type ProfileName,
  readPolicies,
  type SimulatedCloud,
} from '@postern/conformance';
import { createAuthMethod, createKeyWrapper, createProviderConfiguration, type Policy } from '@postern/core-auth';
import { createRegistry } from '@postern/core-registry';
import { createNodeCrypto } from '@postern/crypto-node';
import { createHttpApp } from '@postern/http';
import { createUrlSigner } from '@postern/http/registry';
import { type AccessKeys, type Cloud, ProviderError, type Storage } from '@postern/ports';
import { createTokenAuthorizer, REGISTRY_POLICY_PATHS } from '@postern/server';
import { createMemoryStorage } from '@postern/storage-memory';
import { createMemoryBlobStore } from '@postern/testkit';
import type { TargetUnderTest } from './server.js';

const clock = { now: () => Date.now() };
const silent = { record: () => undefined };

export async function openInProcess(profile: ProfileName): Promise<TargetUnderTest & { simulated: SimulatedCloud }> {
  const storage = createMemoryStorage();
  const crypto = createNodeCrypto();
  const simulated = createSimulatedCloud();
  const { mount, serverIdHeader } = PROFILES[profile];
  // The file holds policies in the form of a configuration.
  const keyWrapper = createKeyWrapper(crypto, { id: 'in-process', key: crypto.bytes(32) });
  const policies = readPolicies(mount) as Readonly<Record<string, Policy>>;
  const method = createAuthMethod(
    {
      ...{ storage, clock, audit: silent, crypto, keyWrapper },
      cloud: cloudOf(simulated, storage),
    },
    { mountPath: mount, iamServerIdHeaderName: serverIdHeader, policies, policyPaths: REGISTRY_POLICY_PATHS },
  );
  const catalogue = createHostedCatalogue({ storage, blobs: createMemoryBlobStore(), clock, prefix: 'catalogue/' });
  const registry = createRegistry(
    {
      ...{ storage, clock, catalogue, publisher: catalogue, audit: silent },
      authorizer: createTokenAuthorizer({ method, namespaces: (call) => catalogue.namespaces(call) }),
    },
    { storagePrefix: 'registry/' },
  );
  const app = createHttpApp({
    ...{ method, profile, clock },
    peerAddress: () => '127.0.0.1',
    readiness: async () => ({ ready: true }),
    health: () => ({ storageReachable: true, version: '0.0.0', serverTime: clock.now() }),
    registry: { registry, urlSigner: createUrlSigner([crypto.bytes(32)]) },
  });
  const token = await method.createRootToken();
  return {
    ...{ url: 'http://postern.test', profile: PROFILES[profile], mount, token, registryToken: token, simulated },
    transport: async (request) => unpacked(await app.fetch(request, undefined)),
    close: () => storage.close(),
  };
}

/** Knows the accounts that the method has associations for, and fails as the case says. */
function cloudOf({ cloud, sts, faults, callerIdentity, ...keys }: SimulatedCloud, storage: Storage): Cloud {
  const configuration = createProviderConfiguration(storage);
  async function admit({ accountId }: { readonly accountId: string }): Promise<void> {
    if (accountId === cloud.ownAccountId || (await configuration.stsAssociation(accountId)) !== undefined) return;
    throw new ProviderError('account_not_allowed', 'the account is neither own nor associated');
  }
  function failAsTold(what: string): void {
    const fault = faults.get(what);
    if (fault !== undefined) throw new ProviderError(fault === 'denied' ? 'denied' : 'unavailable', 'as the case says');
  }
  const accessKeys: AccessKeys = {
    list: async () => [...keys.serverKeys.keys()],
    create: async () => (keys.serverKeys.size > 1 ? undefined : keys.newServerKey()),
    prove: async () => true,
    delete: async (_pair, id) => {
      keys.serverKeys.delete(id);
      sts.revokeAccessKey(id);
    },
  };
  return {
    ...{ callerIdentity, accessKeys },
    async describeInstance(query, options) {
      await admit(query);
      failAsTold(query.instanceId);
      return cloud.describeInstance(query, options);
    },
    async rolesOfProfile(query) {
      await admit(query);
      failAsTold(query.instanceProfileArn);
      return cloud.rolesOfProfile(query);
    },
    async describePrincipal(query) {
      await admit(query);
      return cloud.describePrincipal(query);
    },
  };
}

/** What `fetch` does with a compressed answer. */
function unpacked(response: Response): Response {
  if (response.headers.get('content-encoding') !== 'gzip' || response.body === null) return response;
  const { status, headers } = response;
  return new Response(response.body.pipeThrough(new DecompressionStream('gzip')), { status, headers });
}
