/** Data keys wrapped by KMS (STORE-4, STORE-7), as moto plays it. What moto does not know, a disabled key say: kms-key-wrapper.test.ts. */
import {
  CreateAliasCommand,
  CreateKeyCommand,
  EncryptCommand,
  KMSClient,
  RotateKeyOnDemandCommand,
  UpdateAliasCommand,
} from '@aws-sdk/client-kms';
import { createAuthMethod } from '@postern/core-auth';
import { createNodeCrypto } from '@postern/crypto-node';
import { createKeyWrapper } from '@postern/kernel';
import { type KeyWrapper, type Storage, systemClock } from '@postern/ports';
import { createKmsKeyWrapper } from '@postern/provider-aws';
import { createMemoryStorage } from '@postern/storage-memory';
import { createFakeCloud } from '@postern/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MotoCloud, REGION, startMotoCloud } from './moto-cloud.js';

const DATA_KEY = Uint8Array.from({ length: 32 }, (_, at) => at);

let moto: MotoCloud;
let kms: KMSClient;
beforeAll(async () => {
  // The wrapper takes the SDK's own chain of credentials.
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAPOSTERNPOSTERN01');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  moto = await startMotoCloud();
  kms = new KMSClient({ endpoint: moto.url, region: REGION });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await moto?.stop();
});

async function newKey(): Promise<string> {
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
  return KeyMetadata?.KeyId ?? '';
}

const wrapperOf = (keyId: string, region = REGION) => createKmsKeyWrapper({ keyId, region, endpoint: moto.url });

/** What an unwrap that opens nothing comes to: undefined, or a refusal of KMS. */
async function opened(wrapper: KeyWrapper, wrapped: Uint8Array, context: string): Promise<unknown> {
  try {
    return await wrapper.unwrap(wrapped, context);
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

describe('a data key', () => {
  it('is opened by the key that wrapped it, by id or alias, before and after its rotation', async () => {
    const id = await newKey();
    await kms.send(new CreateAliasCommand({ AliasName: 'alias/postern', TargetKeyId: id }));
    const wrapper = wrapperOf('alias/postern');
    expect(wrapper.id).toBe('awskms:alias/postern');
    const wrapped = await wrapper.wrap(DATA_KEY, 'ring/1');
    expect(Buffer.from(wrapped).includes(Buffer.from(DATA_KEY))).toBe(false);
    expect(await wrapper.unwrap(wrapped, 'ring/1')).toEqual(DATA_KEY);
    await kms.send(new RotateKeyOnDemandCommand({ KeyId: id }));
    expect(await wrapperOf(id).unwrap(wrapped, 'ring/1')).toEqual(DATA_KEY);
  });

  it('is bound to its name: KMS opens it under no other encryption context', async () => {
    const wrapper = wrapperOf(await newKey());
    const wrapped = await wrapper.wrap(DATA_KEY, 'ring/1');
    expect(await wrapper.unwrap(wrapped, 'ring/2')).toBeUndefined();
    expect(await wrapper.unwrap(wrapped, '')).toBeUndefined();
    // Nor does a text that another program encrypted under the same key.
    const KeyId = wrapper.id.slice('awskms:'.length);
    const { CiphertextBlob = new Uint8Array() } = await kms.send(new EncryptCommand({ KeyId, Plaintext: DATA_KEY }));
    expect(await wrapper.unwrap(CiphertextBlob, 'ring/1')).toBeUndefined();
  });

  it('is not opened once altered, by another key, in another region, or where there is no such key', async () => {
    const [id, other] = [await newKey(), await newKey()];
    const wrapped = await wrapperOf(id).wrap(DATA_KEY, 'ring/1');
    const altered = Uint8Array.from(wrapped, (byte, at) => (at === wrapped.length - 1 ? byte ^ 1 : byte));
    expect(await opened(wrapperOf(id), altered, 'ring/1')).toBeUndefined();
    expect(await opened(wrapperOf(id), new Uint8Array(), 'ring/1')).not.toEqual(DATA_KEY);
    // AWS says IncorrectKeyException, moto that access is denied.
    expect(['denied', undefined]).toContain(await opened(wrapperOf(other), wrapped, 'ring/1'));
    expect(await opened(wrapperOf(id, 'eu-west-1'), wrapped, 'ring/1')).toBe('misconfigured');
    const missing = wrapperOf('alias/missing');
    expect(await opened(missing, wrapped, 'ring/1')).toBe('misconfigured');
    await expect(missing.wrap(DATA_KEY, 'ring/1')).rejects.toMatchObject({
      code: 'misconfigured',
      cloudCode: 'NotFound',
    });
  });

  it('of an alias that leads to another key now is not taken for what it was', async () => {
    const [before, after] = [await newKey(), await newKey()];
    await kms.send(new CreateAliasCommand({ AliasName: 'alias/moved', TargetKeyId: before }));
    const wrapper = wrapperOf('alias/moved');
    const wrapped = await wrapper.wrap(DATA_KEY, 'ring/1');
    await kms.send(new UpdateAliasCommand({ AliasName: 'alias/moved', TargetKeyId: after }));
    expect(['denied', undefined]).toContain(await opened(wrapper, wrapped, 'ring/1'));
    expect(await wrapperOf(before).unwrap(wrapped, 'ring/1')).toEqual(DATA_KEY);
  });
});

describe('an auth method', () => {
  const crypto = createNodeCrypto();
  const methodOn = (storage: Storage, ...keyWrapper: KeyWrapper[]) => {
    const cloud = createFakeCloud({ clock: systemClock });
    const audit = { record: () => undefined };
    const method = createAuthMethod({ storage, clock: systemClock, crypto, cloud, audit, keyWrapper });
    return (operation: string, fields = {}) =>
      method.handleAsHost({ operation, params: {}, fields, requestId: 'kms', peerAddress: undefined });
  };

  it('moves from a key file to KMS and on to another key of it, while it serves', async () => {
    const storage = createMemoryStorage();
    const methodWith = (...keyWrapper: KeyWrapper[]) => methodOn(storage, ...keyWrapper);
    const file = createKeyWrapper(crypto, { id: 'file', key: new Uint8Array(32).fill(7) });
    const [one, two] = [wrapperOf(await newKey()), wrapperOf(await newKey())];
    await methodWith(file)('config.client.write', { access_key: 'AKIAEXAMPLE', secret_key: 'canary-secret' });
    const moving = methodWith(one, file);
    expect((await moving('data-keys.rewrap')).data).toMatchObject({ rewrapped: 1 });
    await moving('data-keys.rotate');
    expect((await moving('data-keys.rewrap')).data).toMatchObject({ rewrapped: 0, resealed: expect.any(Number) });
    // The file is of no use any more, and not needed.
    expect((await methodWith(one)('config.client.read')).data).toMatchObject({ access_key: 'AKIAEXAMPLE' });
    expect((await methodWith(two, one)('data-keys.rewrap')).data).toMatchObject({ rewrapped: 2, resealed: 0 });
    const { data } = await methodWith(two)('data-keys.read');
    expect(data?.['keys']).toEqual([1, 2].map(() => ({ id: expect.any(String), wrapper: two.id })));
    await expect(methodWith(one)('config.client.read')).rejects.toMatchObject({ code: 'sealed_unreadable' });
    expect(JSON.stringify(await storage.list('', { limit: 1_000, values: true }))).not.toContain('canary-secret');
  });

  it('with KMS away is unavailable, and changes nothing', async () => {
    const away = createKmsKeyWrapper({ keyId: 'k', region: REGION, endpoint: 'http://127.0.0.1:1' });
    const fresh = createMemoryStorage();
    const fields = { access_key: 'AKIAEXAMPLE', secret_key: 'canary-secret' };
    const write = methodOn(fresh, away)('config.client.write', fields);
    await expect(write).rejects.toMatchObject({
      code: 'key_wrapper_unavailable',
      retryAfterSeconds: expect.any(Number),
    });
    expect((await fresh.list('postern/auth/config/', { limit: 10 })).items).toEqual([]);
  });
});
