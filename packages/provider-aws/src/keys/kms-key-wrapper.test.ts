/** What KMS answers is stored as the wrapped data key: nothing else may be (STORE-4). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createKmsKeyWrapper } from './kms-key-wrapper.js';

afterEach(() => vi.unstubAllEnvs());

/** A KMS of one answer. */
async function wrapperOn(answer: object) {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/x-amz-json-1.1').end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'not-a-secret');
  // The server listens on TCP.
  const { port } = server.address() as AddressInfo;
  return createKmsKeyWrapper({ keyId: 'key', region: 'eu-west-1', endpoint: `http://127.0.0.1:${port}` });
}

it('wraps as KMS encrypts', async () => {
  const wrapper = await wrapperOn({ CiphertextBlob: Buffer.from('wrapped').toString('base64') });
  expect(Buffer.from(await wrapper.wrap(new Uint8Array(32), 'context')).toString()).toBe('wrapped');
});

it('takes an answer without ciphertext for no wrapped key', async () => {
  const wrapper = await wrapperOn({});
  await expect(wrapper.wrap(new Uint8Array(32), 'context')).rejects.toMatchObject({
    name: 'ProviderError',
    code: 'unavailable',
  });
});
