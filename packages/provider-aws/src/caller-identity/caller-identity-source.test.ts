import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import type { CallerIdentityRequest } from '@postern/ports';
import { createManualClock } from '@postern/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { createTlsCertificate } from '../../test/tls-certificate.js';
import { type AwsProvider, type AwsProviderOptions, createAwsProvider } from '../index.js';

const BODY = 'Action=GetCallerIdentity&Version=2011-06-15';
const LIMITS = { totalTimeoutMs: 1_000, connectTimeoutMs: 500 };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function makeProvider(options: Partial<AwsProviderOptions> = {}): AwsProvider {
  const configuration = { clientConfig: () => undefined, stsAssociation: () => undefined };
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const provider = createAwsProvider({ configuration, clock, limits: LIMITS, ...options });
  closing.push(() => provider.close());
  return provider;
}

interface Received {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

async function listen(server: Server): Promise<number> {
  closing.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function startSts(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const line = `${request.method} ${request.url}`;
    received.push({ line, headers: request.rawHeaders, body: Buffer.concat(chunks).toString() });
    answer(response, request);
  });
  closing.push(() => server.closeAllConnections());
  return { received, endpoint: `http://127.0.0.1:${await listen(server)}` };
}

const request = (endpoint: string, changes: Partial<CallerIdentityRequest> = {}): CallerIdentityRequest => ({
  method: 'POST',
  endpoint,
  target: '/',
  headers: [
    ['Host', 'sts.amazonaws.com'],
    ['X-Amz-Date', '20260101T000000Z'],
    ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
    ['Content-Length', String(BODY.length)],
    ['x-postern-server-id', 'vault.example'],
    ['Authorization', 'AWS4-HMAC-SHA256 Credential=A/B'],
  ],
  body: new TextEncoder().encode(BODY),
  ...changes,
});

type Pair = readonly [name: string, value: string];

/** How the request is framed is the transport's: a connection that is kept, and where the body ends. */
function split(headers: readonly string[]): { readonly own: Pair[]; readonly framing: Pair[] } {
  const pairs = headers.flatMap((name, at): Pair[] => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : []));
  const isFraming = ([name]: Pair): boolean => /^(connection|content-length)$/i.test(name);
  const framing = pairs.filter(isFraming).filter(([name]) => !/^connection$/i.test(name));
  return {
    own: pairs.filter((pair) => !isFraming(pair)),
    framing: framing.map(([name, value]) => [name.toLowerCase(), value]),
  };
}

describe('what is sent', () => {
  it('is what core rebuilt: method, target, headers in their order and spelling, host, body', async () => {
    const sts = await startSts((response) => response.writeHead(200, { 'content-type': 'text/xml' }).end('<x/>'));
    const answer = await makeProvider().callerIdentity.send(request(sts.endpoint));
    expect(answer).toEqual({
      status: 200,
      contentType: 'text/xml',
      body: expect.anything(),
      retryAfterSeconds: undefined,
    });
    expect(new TextDecoder().decode(answer.body)).toBe('<x/>');
    const [received] = sts.received;
    expect(received?.line).toBe('POST /');
    expect(received?.body).toBe(BODY);
    const { own, framing } = split(received?.headers ?? []);
    const core = split(request('').headers.flat());
    expect(own.slice(1)).toEqual(core.own.slice(1));
    expect(own[0]).toEqual(['host', 'sts.amazonaws.com']);
    expect(framing).toEqual(core.framing);
  });

  it('is a signed GET as it stands', async () => {
    const sts = await startSts((response) => response.end('<x/>'));
    const target = '/?Action=GetCallerIdentity&X-Amz-Signature=%2Fab&x=a%20b';
    const headers = [['host', 'sts.eu-west-1.amazonaws.com']] as const;
    await makeProvider().callerIdentity.send(
      request(sts.endpoint, { method: 'GET', target, headers, body: undefined }),
    );
    expect(sts.received[0]).toMatchObject({ line: `GET ${target}`, body: '' });
    expect(sts.received[0]?.headers.slice(0, 2)).toEqual(['host', 'sts.eu-west-1.amazonaws.com']);
  });

  it('goes to the endpoint only, whatever path the endpoint has and whatever host the client signed', async () => {
    const sts = await startSts((response) => response.end('<x/>'));
    const provider = makeProvider();
    for (const host of ['sts.amazonaws.com', 'sts.eu-west-1.amazonaws.com', 'evil.example']) {
      await provider.callerIdentity.send(request(`${sts.endpoint}/`, { headers: [['host', host]] }));
    }
    expect(sts.received.map(({ headers }) => headers[1])).toEqual([
      'sts.amazonaws.com',
      'sts.eu-west-1.amazonaws.com',
      'evil.example',
    ]);
  });

  it.each([
    'http://192.0.2.1',
    'http://sts.example',
    'https://u:p@sts.example',
    'https://sts.example/?a',
    'gopher://x',
    '',
  ])('goes nowhere for the endpoint %j (CONFIG-3)', async (endpoint) => {
    await expect(makeProvider().callerIdentity.send(request(endpoint))).rejects.toMatchObject({
      code: 'misconfigured',
    });
  });
});

describe('the answer', () => {
  it.each([
    [400, 'text/xml', undefined, undefined],
    [403, 'text/xml; charset=utf-8', undefined, undefined],
    [429, undefined, '3', 3],
    [503, 'text/html', 'Thu, 01 Jan 2026 00:00:20 GMT', 20],
    [503, 'text/html', 'tomorrow', undefined],
  ])("with status %d is core's to judge", async (status, contentType, header, retryAfterSeconds) => {
    const sts = await startSts((response) => {
      if (contentType !== undefined) response.setHeader('content-type', contentType);
      if (header !== undefined) response.setHeader('retry-after', header);
      response.writeHead(status).end('no');
    });
    const answer = await makeProvider().callerIdentity.send(request(sts.endpoint));
    expect(answer).toMatchObject({ status, contentType, retryAfterSeconds });
    expect(sts.received).toHaveLength(1);
  });

  it('that is a redirect is not followed (THREAT-20)', async () => {
    const elsewhere = await startSts((response) => response.end('<x/>'));
    const sts = await startSts((response) => response.writeHead(307, { location: elsewhere.endpoint }).end());
    expect(await makeProvider().callerIdentity.send(request(sts.endpoint))).toMatchObject({ status: 307 });
    expect(elsewhere.received).toEqual([]);
  });

  it('W10: of 64 KiB comes whole, and a longer one as one byte more, with its status, for core to deny', async () => {
    let size = 65_536;
    const sts = await startSts((response) => response.end(Buffer.alloc(size, 'x')));
    const provider = makeProvider();
    expect((await provider.callerIdentity.send(request(sts.endpoint))).body).toHaveLength(65_536);
    for (const more of [1, 1_000_000]) {
      size += more;
      const answer = await provider.callerIdentity.send(request(sts.endpoint));
      expect(answer.status).toBe(200);
      expect(answer.body).toHaveLength(65_537);
    }
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['closes at once', (response) => void response.destroy()],
    [
      'closes in mid-answer',
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('<GetCaller', () => response.destroy());
      },
    ],
    [
      'ends where the connection ends, and so anywhere',
      (response) => {
        response.useChunkedEncodingByDefault = false;
        response.writeHead(200, { connection: 'close' });
        response.end('<GetCallerIdentityResponse>');
      },
    ],
    ['never begins', () => undefined],
    ['never ends', (response) => void response.writeHead(200).write('<x>')],
  ])('that %s is unavailable, within the time, and sent once', async (_, answer) => {
    const sts = await startSts(answer);
    const startedAt = performance.now();
    const sent = makeProvider().callerIdentity.send(request(sts.endpoint));
    await expect(sent).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    expect(performance.now() - startedAt).toBeLessThan(LIMITS.totalTimeoutMs + 1_000);
    expect(sts.received).toHaveLength(1);
  });

  it('that does not come is unavailable', async () => {
    const sent = makeProvider().callerIdentity.send(request('http://127.0.0.1:1'));
    await expect(sent).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is waited for no longer than the caller waits', async () => {
    const sts = await startSts(() => undefined);
    const sent = makeProvider().callerIdentity.send(request(sts.endpoint), { signal: AbortSignal.timeout(30) });
    await expect(sent).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is right for each of more endpoints than pools are kept', async () => {
    const provider = makeProvider({ limits: { ...LIMITS, maxPools: 2 } });
    const all = await Promise.all(
      Array.from({ length: 5 }, (_, index) => startSts((response) => response.end(`<x${index}/>`))),
    );
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all(all.map(({ endpoint }) => provider.callerIdentity.send(request(endpoint))));
      expect(answers.map(({ body }) => new TextDecoder().decode(body))).toEqual(all.map((_, index) => `<x${index}/>`));
    }
  });
});

describe('over TLS', () => {
  async function startTls(dnsName: string) {
    const { certificate, key } = createTlsCertificate(dnsName);
    const server = createTlsServer({ cert: certificate, key }, (_, response) => response.end('<x/>'));
    closing.push(() => server.closeAllConnections());
    return { certificate, endpoint: `https://localhost:${await listen(server)}` };
  }

  it('the certificate is proven for the endpoint, not for the host that the client signed', async () => {
    const { certificate, endpoint } = await startTls('localhost');
    const provider = makeProvider({ tlsCertificates: certificate });
    expect(await provider.callerIdentity.send(request(endpoint))).toMatchObject({ status: 200 });
  });

  it.each([
    ['nobody vouches for', 'localhost', false],
    ['is for the host that the client signed', 'sts.amazonaws.com', true],
  ])('a certificate that %s is refused', async (_, dnsName, isTrusted) => {
    const { certificate, endpoint } = await startTls(dnsName);
    const provider = makeProvider(isTrusted ? { tlsCertificates: certificate } : {});
    await expect(provider.callerIdentity.send(request(endpoint))).rejects.toMatchObject({ code: 'unavailable' });
  });
});
