/** What a server, or who stands in its place, may answer; and that nothing but the one address is asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { MAX_ANSWER_BYTES } from './call-server.js';
import type { ClientOptions } from './client-options.js';
import { createPosternClient } from './create-client.js';

const TOKEN = 'canary-token-of-the-caller';
const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

type Handler = (request: IncomingMessage, answer: ServerResponse) => void;

async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  // A TCP listener has a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json =
  (body: unknown, status = 200, headers = {}): Handler =>
  (_request, answer) =>
    void answer.writeHead(status, headers).end(JSON.stringify(body));

const lookup = async (handler: Handler, options: Partial<ClientOptions> = {}) =>
  createPosternClient({ url: await serve(handler), maxAttempts: 1, ...options }).lookupSelf(TOKEN);

const FACTS = { policies: ['web'], ttl: 60 };

describe('an answer', () => {
  it('of facts is read, members that are missing too', async () => {
    expect(await lookup(json({ data: FACTS }))).toEqual({
      accessor: '',
      policies: ['web'],
      ttlSeconds: 60,
      renewable: false,
      metadata: {},
      entityId: '',
      expireTime: undefined,
    });
    const data = { ...FACTS, meta: { a: 'b', c: 1 }, renewable: true, expire_time: 'x', entity_id: 'e', accessor: 'a' };
    expect(await lookup(json({ data }))).toMatchObject({ metadata: { a: 'b' }, expireTime: 'x', entityId: 'e' });
    expect((await lookup(json({ data: { ...FACTS, ttl: -1, meta: 'none' } }))).ttlSeconds).toBe(0);
  });

  it.each<[string, Handler]>([
    ['nothing', (_request, answer) => void answer.end()],
    ['no JSON', (_request, answer) => void answer.end('<html>')],
    ['a list', json([])],
    ['null', json(null)],
    ['no data', json({})],
    ['data of another kind', json({ data: 'x' })],
    ['no policies', json({ data: { ttl: 1 } })],
    ['policies that are none', json({ data: { ttl: 1, policies: ['a', 1] } })],
    ['no lifetime', json({ data: { policies: [] } })],
    ['a lifetime that is none', json({ data: { policies: [], ttl: '1h' } })],
  ])('that says %s is refused', async (_name, handler) => {
    await expect(lookup(handler)).rejects.toMatchObject({ kind: 'unexpected', code: 'answer_invalid' });
  });

  it.each([undefined, '', 7, 'two words', 'a\nb'])('whose token is %j is refused', async (token) => {
    const url = await serve(json({ auth: { client_token: token, policies: [], lease_duration: 1 } }));
    const renewal = createPosternClient({ url }).renewSelf(TOKEN);
    await expect(renewal).rejects.toMatchObject({ code: 'answer_invalid' });
  });

  it('without end is cut off', async () => {
    let ended = false;
    const endless: Handler = (_request, answer) => {
      answer.writeHead(200);
      const more = () => {
        while (!ended && answer.write(' '.repeat(64 * 1024)));
      };
      answer.on('drain', more).on('close', () => {
        ended = true;
      });
      more();
    };
    await expect(lookup(endless)).rejects.toMatchObject({ code: 'answer_too_large' });
    const just = `${JSON.stringify({ data: FACTS })}`.padEnd(MAX_ANSWER_BYTES);
    expect((await lookup((_request, answer) => void answer.end(just))).ttlSeconds).toBe(60);
  });

  it('that does not come is not waited for', async () => {
    const late = { kind: 'unavailable', code: 'server_timed_out' };
    await expect(lookup(() => undefined, { timeoutMs: 40 })).rejects.toMatchObject(late);
    const half: Handler = (_request, answer) => void answer.writeHead(200).write('{');
    await expect(lookup(half, { timeoutMs: 40 })).rejects.toMatchObject(late);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %s is not followed', async (status) => {
    const asked: unknown[] = [];
    const elsewhere = await serve((request, answer) => {
      asked.push(request.headers);
      answer.end();
    });
    await expect(lookup(json({}, status, { location: elsewhere }))).rejects.toMatchObject({
      kind: 'unexpected',
      code: 'redirect_refused',
    });
    expect(asked).toEqual([]);
  });

  it('that a fetch of your own followed or hides is refused too', async () => {
    for (const odd of [{ redirected: true }, { type: 'opaqueredirect', status: 0 }]) {
      const response = new Response(JSON.stringify({ data: FACTS }));
      for (const [name, value] of Object.entries(odd)) Object.defineProperty(response, name, { value });
      const client = createPosternClient({ url: 'https://postern.test', fetch: async () => response });
      await expect(client.lookupSelf(TOKEN)).rejects.toMatchObject({ code: 'redirect_refused' });
    }
  });
});

describe('an error', () => {
  it('carries code, status, text and request id of the server, and never what was sent', async () => {
    const errors = [`no ${TOKEN}\u001b[31m: ${'x'.repeat(999)}`];
    const error = await lookup(json({ errors, code: 'field_invalid' }, 400, { 'x-request-id': 'r-1' })).catch((e) => e);
    expect(error).toMatchObject({ kind: 'invalid', code: 'field_invalid', status: 400, requestId: 'r-1' });
    expect(error.message).toMatch(/^server returned 400: no \[hidden\] \[31m: x+$/);
    expect(error.message.length).toBeLessThan(350);
    expect(inspect(error, { showHidden: true })).not.toContain(TOKEN);
  });

  it('tells nothing of a proof or nonce that comes back', async () => {
    const url = await serve((request, answer) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const sent = Object.values(JSON.parse(Buffer.concat(chunks).toString()));
        answer.writeHead(400).end(JSON.stringify({ errors: [sent.join()] }));
      });
    });
    const client = createPosternClient({ url });
    const [nonce, pkcs7] = ['canary-nonce', 'canary+proof'];
    const evidence = { instanceId: 'i-1', proof: { pkcs7 } };
    const byInstance = await client.loginWithInstance({ role: 'web', nonce, evidence }).catch((e) => e);
    expect(byInstance.message).toBe('server returned 400: web,[hidden],[hidden]');
    const credentials = async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'canary' });
    const byPrincipal = await client.loginWithPrincipal({ role: 'web', credentials }).catch((e) => e);
    expect(byPrincipal.message).toMatch(/,\[hidden\]$/);
  });

  it.each<[number, unknown, Record<string, string>, string]>([
    [400, '<html>', {}, 'refused'],
    [400, { code: 'Not A Code', errors: 'x' }, { 'x-request-id': 'a b' }, 'refused'],
    [401, {}, {}, 'permission_denied'],
    [404, { errors: [] }, {}, 'not_found'],
    [429, {}, {}, 'rate_limited'],
    [503, { errors: [7] }, {}, 'server_error'],
    [418, {}, {}, 'answer_unexpected'],
  ])('of %s with %j has a code of its own', async (status, body, headers, code) => {
    const error = await lookup(json(body, status, headers)).catch((e) => e);
    expect([error.code, error.message, error.requestId]).toEqual([code, `server returned ${status}`, undefined]);
  });

  it.each<[number, string | undefined, number | undefined]>([
    [503, '7', 7],
    [429, '0', 0],
    [503, '999999999', 86_400],
    [503, new Date(61_000).toUTCString(), 60],
    [503, new Date(0).toUTCString(), 0],
    [503, 'soon', undefined],
    [503, undefined, undefined],
    [400, '7', undefined],
  ])('of %s with Retry-After %s says %s seconds', async (status, header, seconds) => {
    const headers = header === undefined ? {} : { 'retry-after': header };
    const error = await lookup(json({}, status, headers), { now: () => 1_000 }).catch((e) => e);
    expect(error.retryAfterSeconds).toBe(seconds);
  });

  it('of the connection tells its code alone', async () => {
    const url = await serve(() => undefined);
    servers.splice(0)[0]?.close();
    await expect(createPosternClient({ url, maxAttempts: 1 }).lookupSelf(TOKEN)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'server_unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const leaky = async () => Promise.reject(new Error(TOKEN));
    const client = createPosternClient({ url, maxAttempts: 1, fetch: leaky });
    const error = await client.lookupSelf(TOKEN).catch((e) => e);
    expect(error.code).toBe('server_unreachable');
    expect(inspect(error, { showHidden: true })).not.toContain(TOKEN);
  });
});

it('sends the headers of its profile', async () => {
  const seen: (string | string[] | undefined)[] = [];
  const url = await serve((request, answer) => {
    const { headers } = request;
    seen.push(headers['x-vault-token'], headers['x-vault-request'], headers['x-vault-namespace'], request.url);
    answer.end(JSON.stringify({ data: FACTS }));
  });
  await createPosternClient({ url: `${url}/proxied/`, profile: 'vault', namespace: 'team' }).lookupSelf(TOKEN);
  await createPosternClient({ url, namespace: 'team' }).lookupSelf(TOKEN);
  const path = '/v1/auth/token/lookup-self';
  expect(seen).toEqual([TOKEN, 'true', 'team', `/proxied${path}`, undefined, undefined, undefined, path]);
});

it('ends at your signal, before and within', async () => {
  const ended = { kind: 'aborted', code: 'aborted' };
  const client = createPosternClient({ url: await serve(() => undefined) });
  await expect(client.lookupSelf(TOKEN, { signal: AbortSignal.abort() })).rejects.toMatchObject(ended);
  await expect(client.lookupSelf(TOKEN, { signal: AbortSignal.timeout(30) })).rejects.toMatchObject(ended);
});
