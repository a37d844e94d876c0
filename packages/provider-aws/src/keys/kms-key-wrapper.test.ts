/** What KMS answers is stored as the wrapped data key: nothing else may be (STORE-4). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { createKmsKeyWrapper } from './kms-key-wrapper.js';

afterEach(() => vi.unstubAllEnvs());

/** A KMS that gives one answer, or never one. */
async function wrapperOn(answer: object | undefined, status = 200) {
  const server = createServer((request, response) => {
    request.resume();
    if (answer === undefined) return;
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': 'request-1' });
    response.end(JSON.stringify(answer));
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

it('unwraps what this key wrapped under the same words, and nothing else', async () => {
  const wrapper = await wrapperOn({ Plaintext: Buffer.from('key').toString('base64') });
  expect(Buffer.from((await wrapper.unwrap(new Uint8Array(9), 'context')) ?? []).toString()).toBe('key');
  for (const name of ['InvalidCiphertextException', 'IncorrectKeyException']) {
    const other = await wrapperOn({ __type: name }, 400);
    expect(await other.unwrap(new Uint8Array(9), 'context')).toBeUndefined();
  }
});

it.each([
  ['DisabledException', 400, 'misconfigured'],
  ['KMSInvalidStateException', 400, 'misconfigured'],
  ['NotFoundException', 400, 'misconfigured'],
  ['InvalidKeyUsageException', 400, 'misconfigured'],
  ['UnrecognizedClientException', 400, 'misconfigured'],
  ['AccessDeniedException', 400, 'denied'],
  ['ThrottlingException', 400, 'unavailable'],
  ['KeyUnavailableException', 500, 'unavailable'],
  ['KMSInternalException', 500, 'unavailable'],
  ['DependencyTimeoutException', 503, 'unavailable'],
])('%s (%i) is %s, never another key, with the code and id of the cloud', async (name, status, code) => {
  const wrapper = await wrapperOn({ __type: name, message: 'canary' }, status);
  for (const call of ['wrap', 'unwrap'] as const) {
    const asked = Promise.resolve(wrapper[call](new Uint8Array(32), 'c'));
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    const cloudCode = name.replace('Exception', '');
    expect(error).toMatchObject({ name: 'ProviderError', code, cloudCode, cloudRequestId: 'request-1' });
    expect(String(error)).not.toContain('canary');
  }
});

it('a KMS that is silent, or one that nobody answers for, is unavailable as soon as the caller gives up', async () => {
  const wrapper = await wrapperOn(undefined);
  const signal = AbortSignal.timeout(50);
  await expect(wrapper.unwrap(new Uint8Array(9), 'c', { signal })).rejects.toMatchObject({ code: 'unavailable' });
  await expect(wrapper.wrap(new Uint8Array(32), 'c', { signal })).rejects.toMatchObject({ code: 'unavailable' });
});
