/** The provider of AWS in the server: made of what is stored, silent until it is asked, closed with it. */
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { systemClock } from '@postern/ports';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud, createManualClock } from '@postern/testkit';
import { afterEach, expect, it } from 'vitest';
import { createAws, type Provider } from './provider.js';

let provider: Provider | undefined;
afterEach(() => provider?.close?.());

const query = { accountId: '111122223333', region: 'us-east-1', instanceId: 'i-0123456789abcdef0' };

/** A method whose stored client configuration the provider reads. */
function methodOn(storage: ReturnType<typeof createMemoryStorage>, made: Provider) {
  const crypto = createNodeCrypto();
  return createAuthMethod({ storage, crypto, cloud: made, audit: { record: () => undefined } });
}

it('says half a key pair is a misconfiguration, by setting and not by value', async () => {
  const made = await createAws(createMemoryStorage(), { CLOUD_ACCESS_KEY: 'AKIACANARYCANARY0000' });
  provider = made;
  const failure = await made.describeInstance(query).catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'ProviderError', code: 'misconfigured' });
  expect(String(failure)).not.toContain('CANARY');
});

it('connects where the stored client configuration says, as the key that it holds', async () => {
  const storage = createMemoryStorage();
  const clock = createManualClock(systemClock.now());
  const cloud = createFakeCloud({ clock, seed: 'aws in the server' });
  const { sts } = cloud;
  const key = sts.issueAccessKey(cloud.createUser({ name: 'server' }));
  const face = await sts.listen();
  const made = await createAws(storage, {});
  provider = made;
  const method = methodOn(storage, made);
  const fields = { access_key: key.accessKeyId, secret_key: key.secretAccessKey, sts_endpoint: face.url };
  await method.handleAsHost({
    operation: 'config.client.write',
    params: {},
    fields: { ...fields, sts_region: 'us-east-1', max_retries: 0 },
    requestId: 'test',
    peerAddress: undefined,
  });
  await expect(made.describeInstance({ ...query, accountId: '999988887777' })).rejects.toMatchObject({
    code: 'account_not_allowed',
  });
  expect(sts.calls.map(({ action, outcome }) => ({ action, outcome }))).toEqual([
    { action: 'GetCallerIdentity', outcome: 'ok' },
  ]);
  await face.close();
});
