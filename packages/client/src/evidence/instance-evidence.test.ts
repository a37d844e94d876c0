/** The metadata service as it may meet a client: there, not there, switched off, slow, broken, or something else altogether. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakeCloud, type FakeImds, startFakeImds } from '@postern/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { collectInstanceEvidence } from './instance-evidence.js';
import { type MetadataOptions, metadataAddress } from './instance-metadata.js';
import { MAX_METADATA_BYTES } from './metadata-request.js';

const IDENTITY = '/latest/dynamic/instance-identity/';
const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

const instance = createFakeCloud({ clock: { now: () => Date.now() } }).launchInstance();

async function imdsOf(change: (imds: FakeImds) => unknown = () => undefined) {
  const imds = await startFakeImds(instance);
  open.push(imds);
  change(imds);
  return imds;
}

const collect = ({ url }: FakeImds, more = {}) => collectInstanceEvidence({ endpoint: url, timeoutMs: 250, ...more });

describe('on an instance', () => {
  it('gives the PKCS#7 of the document in one line, under one token', async () => {
    const imds = await imdsOf();
    const { instanceId, proof } = await collect(imds);
    expect(instanceId).toBe(instance.instanceId);
    expect(proof).toEqual({ pkcs7: instance.identityDocument().rsa2048.replaceAll('\n', '') });
    expect(imds.calls).toEqual(['PUT /latest/api/token', `GET ${IDENTITY}document`, `GET ${IDENTITY}rsa2048`]);
  });

  it('gives document and signature to who wants those, byte by byte', async () => {
    const { proof } = await collect(await imdsOf(), { form: 'signature' });
    const { documentBase64, signature } = instance.identityDocument();
    expect(proof).toEqual({ identity: documentBase64, signature: signature.replaceAll('\n', '') });
  });

  it('asks no proxy, whatever the environment says', async () => {
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = 'http://127.0.0.1:1';
    try {
      expect((await collect(await imdsOf())).instanceId).toBe(instance.instanceId);
    } finally {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    }
  });

  it.each([503, 429, 500])('asks again where the service sheds load with %s', async (status) => {
    const imds = await imdsOf(({ instead }) => instead.push(status, status));
    expect((await collect(imds)).instanceId).toBe(instance.instanceId);
    expect(imds.calls.slice(0, 3)).toEqual(Array(3).fill('PUT /latest/api/token'));
  });
});

const documentOf = (bytes: number) => instance.identityDocument().document.padEnd(bytes);

it('takes a document of the greatest size', async () => {
  const imds = await imdsOf(({ files }) => files.set(`${IDENTITY}document`, documentOf(MAX_METADATA_BYTES)));
  expect((await collect(imds)).instanceId).toBe(instance.instanceId);
});

describe('what goes wrong', () => {
  const without = (name: string) => (imds: FakeImds) => void imds.files.delete(IDENTITY + name);
  const saying = (name: string, text: string) => (imds: FakeImds) => void imds.files.set(IDENTITY + name, text);
  const tokens = (status: number) => (imds: FakeImds) => {
    imds.tokenStatus = status;
  };
  const answering =
    (...all: FakeImds['instead']) =>
    (imds: FakeImds) =>
      void imds.instead.push(...all);

  it.each<[string, (imds: FakeImds) => void, string, string]>([
    ['no tokens', tokens(404), 'not_an_instance', 'evidence'],
    ['no PUT', tokens(405), 'not_an_instance', 'evidence'],
    ['switched off', tokens(403), 'metadata_disabled', 'evidence'],
    ['no document', without('document'), 'not_an_instance', 'evidence'],
    ['no PKCS#7', without('rsa2048'), 'not_an_instance', 'evidence'],
    ['a document of no instance', saying('document', '{}'), 'metadata_answer_invalid', 'evidence'],
    ['an instance id that is a number', saying('document', '{"instanceId":7}'), 'metadata_answer_invalid', 'evidence'],
    ['an id that is a path', saying('document', '{"instanceId":"../x"}'), 'metadata_answer_invalid', 'evidence'],
    ['a page of a portal', saying('document', '<html>'), 'metadata_answer_invalid', 'evidence'],
    ['a PKCS#7 that is none', saying('rsa2048', '<html>'), 'metadata_answer_invalid', 'evidence'],
    ['too much', saying('document', documentOf(MAX_METADATA_BYTES + 1)), 'metadata_answer_invalid', 'evidence'],
    ['a redirect', answering(302), 'metadata_answer_invalid', 'evidence'],
    ['a refused token', answering(401), 'metadata_answer_invalid', 'evidence'],
    ['an answer that is cut', answering('cut'), 'metadata_answer_invalid', 'evidence'],
    ['an empty token', answering(200), 'metadata_answer_invalid', 'evidence'],
    ['nothing but 503', answering(503, 503, 503), 'metadata_unavailable', 'unavailable'],
    ['no answer', answering('hang'), 'metadata_timed_out', 'evidence'],
  ])('%s', async (_name, change, code, kind) => {
    await expect(collect(await imdsOf(change))).rejects.toMatchObject({ name: 'PosternClientError', code, kind });
  });

  it('no metadata service', async () => {
    const imds = await imdsOf();
    await imds.close();
    await expect(collect(imds)).rejects.toMatchObject({ code: 'not_an_instance' });
  });

  it('a connection that ends without a word', async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1');
    open.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    // A TCP listener has a port.
    const { port } = server.address() as AddressInfo;
    const asked = collectInstanceEvidence({ endpoint: `http://127.0.0.1:${port}`, timeoutMs: 250 });
    await expect(asked).rejects.toMatchObject({ code: 'metadata_answer_invalid' });
  });

  it('a signal, before, while it waits, and between tries', async () => {
    const early = collect(await imdsOf(), { signal: AbortSignal.abort() });
    await expect(early).rejects.toMatchObject({ code: 'aborted', kind: 'aborted' });
    const waiting = collect(await imdsOf(answering('hang')), { timeoutMs: 5_000, signal: AbortSignal.timeout(30) });
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    const between = collect(await imdsOf(answering(503, 503)), { signal: AbortSignal.timeout(50) });
    await expect(between).rejects.toMatchObject({ code: 'aborted' });
  });

  it.each(['https://169.254.169.254', 'http://169.254.169.254/latest', 'http://user@169.254.169.254', 'not a URL'])(
    'an endpoint like %s',
    async (endpoint) => {
      await expect(collectInstanceEvidence({ endpoint })).rejects.toThrow(TypeError);
    },
  );

  it.each<[MetadataOptions, string]>([
    [{}, 'http://169.254.169.254/'],
    [{ ipv6: true }, 'http://[fd00:ec2::254]/'],
    [{ ipv6: true, endpoint: 'http://127.0.0.1:8080' }, 'http://127.0.0.1:8080/'],
  ])('the address for %j is %s', (options, url) => {
    expect(metadataAddress(options).href).toBe(url);
  });
});
