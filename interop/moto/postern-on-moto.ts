/** The auth method as the server puts it together, with the AWS adapter, over the cloud that moto plays. */

import type { Instance } from '@aws-sdk/client-ec2';
import { createAuthMethod, createProviderConfiguration, type Outcome } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { type AwsProvider, type AwsStsAssociation, createAwsProvider } from '@postern/provider-aws';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, type FakeCloud, signGetCallerIdentity } from '@postern/testkit';
import { type KeyPair, type MotoCloud, OTHER, OWN, REGION } from './moto-cloud.js';

export interface PosternOnMoto {
  readonly provider: AwsProvider;
  /** An operation as the operator. */
  call(operation: string, params?: Record<string, string>, fields?: Record<string, unknown>): Promise<Outcome>;
  /** Logs an instance in with a document that says what moto says of it. */
  loginInstance(role: string, instance: Instance, document?: Record<string, unknown>): Promise<Outcome>;
  /** Logs a principal in with a signed request. */
  loginPrincipal(role: string, credentials: KeyPair, method?: 'POST' | 'GET'): Promise<Outcome>;
  close(): Promise<void>;
}

const clock = { now: () => Date.now() };

/** The adapter alone, with its configuration at hand: the other account is associated by a role. */
export function createProviderOnMoto(moto: MotoCloud, key: KeyPair, maxRetries: number) {
  const associations = new Map<string, AwsStsAssociation>([[OTHER, { stsRole: `arn:aws:iam::${OTHER}:role/postern` }]]);
  const clientConfig = {
    accessKey: key.accessKeyId,
    secretKey: key.secretAccessKey,
    maxRetries,
    endpoint: moto.url,
    iamEndpoint: moto.url,
    stsEndpoint: moto.url,
    stsRegion: '',
  };
  const provider = createAwsProvider({
    configuration: { clientConfig: () => clientConfig, stsAssociation: (accountId) => associations.get(accountId) },
    clock,
  });
  return { provider, associations };
}

/** @param root the pair that is configured */
export async function createPosternOnMoto(moto: MotoCloud, root: KeyPair): Promise<PosternOnMoto> {
  const storage = createMemoryStorage();
  const crypto = createNodeCrypto();
  const provider = createAwsProvider({ configuration: createProviderConfiguration(storage), clock });
  // Signs documents: moto runs instances, but has no identity service.
  const signer: FakeCloud = createFakeCloud({ clock, region: REGION });
  const method = createAuthMethod(
    {
      storage,
      clock,
      crypto,
      cloud: provider,
      audit: { record: () => undefined },
    },
    {
      builtInCertificates: signer.defaultCertificates([REGION]),
      onProviderConfigChange: provider.onProviderConfigChange,
    },
  );
  const call: PosternOnMoto['call'] = (operation, params = {}, fields = {}) =>
    method.handleAsHost({ operation, params, fields, requestId: 'moto', peerAddress: '127.0.0.1' });
  await call(
    'config.client.write',
    {},
    {
      access_key: root.accessKeyId,
      secret_key: root.secretAccessKey,
      endpoint: moto.url,
      iam_endpoint: moto.url,
      sts_endpoint: moto.url,
    },
  );
  return {
    provider,
    call,
    loginInstance(role, instance, document = {}) {
      const content = JSON.stringify({
        accountId: OWN,
        imageId: instance.ImageId,
        instanceId: instance.InstanceId,
        pendingTime: new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z$/, 'Z'),
        region: REGION,
        ...document,
      });
      return call('login', {}, { role, pkcs7: signer.signContent(content), nonce: `nonce-${instance.InstanceId}` });
    },
    loginPrincipal: (role, credentials, how = 'POST') =>
      call('login', {}, { role, ...signGetCallerIdentity({ credentials, date: clock.now(), method: how }) }),
    close: () => provider.close(),
  };
}
