/** The HTTP face, asked over real sockets. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../clock/manual-clock.js';
import { createFakeCloud } from '../fake-cloud/fake-cloud.js';
import type { WireRequest } from '../sigv4/wire-request.js';
import { createFakeSts } from './fake-sts.js';
import type { FakeStsListener } from './fake-sts-types.js';
import { type SignCallerIdentityOptions, signCallerIdentityRequest } from './sign-get-caller-identity.js';

const listeners: FakeStsListener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});

async function makeWorld() {
  const clock = createManualClock(Date.UTC(2026, 1, 16, 0, 30, 0));
  const cloud = createFakeCloud({ clock, seed: 'server' });
  const sts = createFakeSts({ cloud, clock, seed: 'server' });
  const user = cloud.createUser({ name: 'alice' });
  const credentials = sts.issueAccessKey(user);
  const listener = await sts.listen();
  listeners.push(listener);
  const sign = (options: Partial<SignCallerIdentityOptions> = {}) =>
    signCallerIdentityRequest({ credentials, date: clock.now(), ...options });
  return { cloud, sts, user, listener, sign };
}

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request as it stands, to this place, whatever its Host says. */
function send(url: string, { method, target, headers, body }: WireRequest): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, path: target, setHost: false, agent: false }, (incoming) => {
      const chunks: Uint8Array[] = [];
      incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.once('error', reject);
    const names = new Set(headers.map(([name]) => name));
    for (const name of names) {
      const values = headers.filter(([other]) => other === name).map(([, value]) => value);
      sent.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
    }
    sent.end(body);
  });
}

describe('the HTTP face', () => {
  it.each(['POST', 'GET'] as const)('verifies and answers a %s under the host that was signed', async (method) => {
    const { sts, user, listener, sign } = await makeWorld();
    const answer = await send(listener.url, sign({ method, serverId: 'here' }));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/xml');
    expect(answer.body).toContain(`<Arn>${user.arn}</Arn>`);
    expect(answer.headers['x-amzn-requestid']).toBe(/<RequestId>(.*)</.exec(answer.body)?.[1]);
    expect(sts.calls).toMatchObject([
      {
        face: 'http',
        endpoint: listener.url,
        host: 'sts.amazonaws.com',
        method,
        action: 'GetCallerIdentity',
        outcome: 'ok',
      },
    ]);
  });

  it('sees the request byte for byte: spelling, order, repeated headers, target and body', async () => {
    const { sts, listener, sign } = await makeWorld();
    const extraHeaders = [
      ['X-mIxEd', 'one'],
      ['X-mIxEd', 'two  words'],
    ] as const;
    const request = sign({ extraHeaders });
    expect((await send(listener.url, request)).status).toBe(200);
    const seen = sts.calls[0]?.request();
    expect(seen?.headers.filter(([name]) => name !== 'Connection')).toEqual(request.headers);
    expect(Buffer.from(seen?.body ?? [])).toEqual(Buffer.from(request.body ?? []));
  });

  it('refuses a body that was altered on the way, and a host that was', async () => {
    const { listener, sign } = await makeWorld();
    const request = sign();
    const altered = { ...request, body: Buffer.from('Action=GetCallerIdentity&Version=2011-06-16') };
    const rehosted = { ...request, headers: request.headers.map(([n, v]) => [n, n === 'Host' ? 'h' : v] as const) };
    for (const wrong of [altered, rehosted]) {
      const answer = await send(listener.url, wrong);
      expect([answer.status, /<Code>(.*)</.exec(answer.body)?.[1]]).toEqual([403, 'SignatureDoesNotMatch']);
    }
  });

  it('sends Retry-After, Location and no content type when told', async () => {
    const { sts, listener, sign } = await makeWorld();
    sts.behaviour.throttle({ retryAfterSeconds: 3, times: 1 });
    expect((await send(listener.url, sign())).headers['retry-after']).toBe('3');
    sts.behaviour.redirect('http://127.0.0.1:1/', { times: 1 });
    expect(await send(listener.url, sign())).toMatchObject({
      status: 301,
      headers: { location: 'http://127.0.0.1:1/' },
    });
    sts.behaviour.answer({ status: 200, contentType: undefined, body: 'x' });
    expect((await send(listener.url, sign())).headers).not.toHaveProperty('content-type');
  });

  it('closes the connection in the middle of an answer', async () => {
    const { sts, listener, sign } = await makeWorld();
    sts.behaviour.closeMidAnswer();
    await expect(send(listener.url, sign())).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(sts.calls).toMatchObject([{ outcome: 'cut' }]);
  });

  it.each(['hang', 'lag'] as const)('ends a connection that is kept waiting when it closes: %s', async (how) => {
    const { sts, listener, sign } = await makeWorld();
    if (how === 'hang') sts.behaviour.hang();
    else sts.behaviour.lag(60_000);
    const sent = send(listener.url, sign()).catch((error: unknown) => error);
    while (sts.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await listener.close();
    expect(await sent).toMatchObject({ code: 'ECONNRESET' });
    await listener.close();
    await expect(send(listener.url, sign())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('drops a body of more than 64 KiB', async () => {
    const { sts, listener, sign } = await makeWorld();
    const request = sign({ parameters: `Action=${'x'.repeat(65_536)}` });
    await expect(send(listener.url, request)).rejects.toMatchObject({
      code: expect.stringMatching(/ECONNRESET|EPIPE/),
    });
    expect(sts.calls).toEqual([]);
  });

  it('tells its listeners apart', async () => {
    const { sts, listener, sign } = await makeWorld();
    const second = await sts.listen();
    listeners.push(second);
    await send(second.url, sign());
    await send(listener.url, sign());
    expect(sts.calls.map(({ endpoint }) => endpoint)).toEqual([second.url, listener.url]);
  });
});
