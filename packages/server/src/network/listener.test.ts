/** The server before the application: verbs, bodies and clients of every kind, over real sockets. */

import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sendRaw, statusesOf } from '../../test/raw-http.js';
import { connectionSignal, type Listener, listen, type NodeRequestInfo } from './listener.js';
import { readNodeBody } from './request-body.js';

const open: Listener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close(1000)));
});

async function start(fetch: (request: Request, info: NodeRequestInfo) => Promise<Response>): Promise<Listener> {
  const listener = await listen(fetch, { host: '127.0.0.1', port: 0 });
  open.push(listener);
  return listener;
}

const echo = async (request: Request, { incoming }: NodeRequestInfo) =>
  Response.json({
    method: request.method,
    path: new URL(request.url).pathname,
    token: request.headers.get('x-service-token'),
    peer: incoming.socket.remoteAddress,
  });
const answerOf = (raw: string): unknown => JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4));

/** Answers with the length of the body, or with the code that refused it. */
const measure = async (request: Request, { incoming }: NodeRequestInfo) => {
  try {
    return Response.json({ length: (await readNodeBody(request, 1000, { incoming })).length });
  } catch (error) {
    const code = (error as { code: string }).code;
    return Response.json({ code }, { status: code === 'body_too_large' ? 413 : 400 });
  }
};

describe('the verb LIST', () => {
  const head = 'LIST /v1/x?a=1 HTTP/1.1\r\nhost: p\r\nx-service-token: t\r\n\r\n';
  const expected = { method: 'LIST', path: '/v1/x', token: 't', peer: '127.0.0.1' };

  it('reaches the application, and ends the connection', async () => {
    const { port } = await start(echo);
    const raw = await sendRaw(port, [head]);
    expect(statusesOf(raw)).toEqual([200]);
    expect(raw).toMatch(/^connection: close\r$/im);
    expect(answerOf(raw)).toEqual(expected);
  });

  it('reaches it after another request on the same connection', async () => {
    const { port } = await start(echo);
    const raw = await sendRaw(port, ['GET /v1/y HTTP/1.1\r\nhost: p\r\n\r\n', head], 50);
    expect(statusesOf(raw)).toEqual([200, 200]);
    expect(raw).toContain('"method":"LIST"');
  });

  it('reaches it in pieces', async () => {
    const { port } = await start(echo);
    const raw = await sendRaw(port, [head.slice(0, 9), head.slice(9, 30), head.slice(30)], 30);
    expect(answerOf(raw)).toEqual(expected);
  });

  it.each([1, 2, 3, 4, 5])('W10: reaches it when its first %i letters come alone', async (letters) => {
    const { port } = await start(echo);
    const raw = await sendRaw(port, [head.slice(0, letters), head.slice(letters)], 30);
    expect(answerOf(raw)).toEqual(expected);
  });

  it('W10: reaches it letter by letter, after a request on the same connection', async () => {
    const { port } = await start(echo);
    const raw = await sendRaw(port, ['GET /v1/y HTTP/1.1\r\nhost: p\r\n\r\n', ...head.slice(0, 8), head.slice(8)], 20);
    expect(statusesOf(raw)).toEqual([200, 200]);
    expect(raw).toContain('"method":"LIST"');
  });

  it('W10: reaches it pipelined after others, and is answered after them', async () => {
    const { port } = await start(async (request, info) => {
      if (request.method === 'GET') await new Promise((resolve) => setTimeout(resolve, 60));
      return echo(request, info);
    });
    const get = 'GET /v1/y HTTP/1.1\r\nhost: p\r\n\r\n';
    const post = 'POST /v1/y HTTP/1.1\r\nhost: p\r\ncontent-length: 2\r\n\r\nLI';
    for (const [before, methods] of [
      [get, ['GET', 'LIST']],
      [`${get}${get}`, ['GET', 'GET', 'LIST']],
      [`${get}${post}`, ['GET', 'POST', 'LIST']],
    ] as const) {
      const raw = await sendRaw(port, [`${before}${head}`]);
      expect([...raw.matchAll(/"method":"(\w+)"/g)].map(([, method]) => method)).toEqual(methods);
    }
  });

  it.each([
    ['LISTS /v1/x HTTP/1.1\r\nhost: p\r\n\r\n', []],
    ['LISP /v1/x HTTP/1.1\r\nhost: p\r\n\r\n', []],
    ['LIS', ['S /v1/x HTTP/1.1\r\nhost: p\r\n\r\n']],
  ])('is not taken from %j', async (first, rest) => {
    const { port } = await start(echo);
    expect(statusesOf(await sendRaw(port, [first, ...rest], 30))).toEqual([400]);
  });

  it('works with clients that keep connections', async () => {
    const { port } = await start(echo);
    for (let turn = 0; turn < 3; turn += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/v1/x`, {
        method: 'LIST',
        headers: { 'x-service-token': 't' },
      });
      expect(await response.json()).toEqual(expected);
    }
  });

  it('is held to the limits of every request', async () => {
    const { port } = await start(echo);
    const fat = await sendRaw(port, [`LIST /v1/x HTTP/1.1\r\nhost: p\r\na: ${'b'.repeat(40_000)}\r\n\r\n`]);
    expect(statusesOf(fat)).toEqual([431]);
    const broken = await sendRaw(port, ['LIST /v1/x HTTP/1.1\r\nbad header\r\n\r\n']);
    expect(statusesOf(broken)).toEqual([400]);
    const twice = await sendRaw(port, ['LIST /v1/x HTTP/1.1\r\nhost: p\r\n\r\nLIST /v1/y HTTP/1.1\r\nhost: p\r\n\r\n']);
    expect(statusesOf(twice)).toHaveLength(1);
    expect(twice).not.toContain('/v1/y');
  });

  it('leaves LINK what it is', async () => {
    const { port } = await start(echo);
    const raw = await sendRaw(port, ['LINK /v1/x HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n']);
    expect(answerOf(raw)).toMatchObject({ method: 'LINK' });
  });
});

describe('malformed requests', () => {
  it.each([
    ['an unknown verb', 'BREW /v1/x HTTP/1.1\r\nhost: p\r\n\r\n', 400],
    ['no HTTP at all', '\u0016\u0003\u0001\u0000 hello\r\n\r\n', 400],
    ['a body of two lengths', 'POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 400],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['headers without end', `GET / HTTP/1.1\r\nhost: p\r\nx: ${'y'.repeat(20_000)}`, 431],
    ['no host', 'GET /v1/x HTTP/1.1\r\n\r\n', 400],
  ])('with %s are refused, and say nothing of themselves', async (_name, bytes, status) => {
    const { port } = await start(echo);
    const raw = await sendRaw(port, [bytes]);
    expect(statusesOf(raw)).toEqual([status]);
    expect(raw).not.toContain('hello');
  });
});

describe('W9: heads that two readers could understand in two ways (WIRE-26, THREAT-41)', () => {
  const headers = (count: number) => Array.from({ length: count }, (_, at) => `x-${at}: 1\r\n`).join('');

  it.each([
    ['two hosts', 'GET /v1/x HTTP/1.1\r\nhost: p\r\nHOST: p\r\n\r\n', 400],
    ['101 headers', `GET /v1/x HTTP/1.1\r\nhost: p\r\n${headers(100)}\r\n`, 431],
    ['a dot segment', 'GET /v1/a/../x HTTP/1.1\r\nhost: p\r\n\r\n', 400],
    ['a dot segment at the end', 'GET /v1/x/.. HTTP/1.1\r\nhost: p\r\n\r\n', 400],
    ['a single dot', 'GET /v1/./x HTTP/1.1\r\nhost: p\r\n\r\n', 400],
    ['an escaped dot segment', 'GET /v1/a/%2e%2E/x HTTP/1.1\r\nhost: p\r\n\r\n', 400],
    ['a half escaped dot segment', 'GET /v1/a/.%2e/x HTTP/1.1\r\nhost: p\r\n\r\n', 400],
    ['a dot segment in an absolute target', 'GET http://p/v1/a/../x HTTP/1.1\r\nhost: p\r\n\r\n', 400],
    ['a dot segment of LIST', 'LIST /v1/a/../x HTTP/1.1\r\nhost: p\r\n\r\n', 400],
  ])('with %s are refused', async (_name, bytes, status) => {
    const fetch = vi.fn(echo);
    const { port } = await start(fetch);
    expect(statusesOf(await sendRaw(port, [bytes]))).toEqual([status]);
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each([
    ['100 headers', `GET /v1/x HTTP/1.1\r\nhost: p\r\nconnection: close\r\n${headers(98)}\r\n`],
    ['dots in names and queries', 'GET /v1/..x/a..b/...?a=/../ HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n'],
    ['an escaped slash beside dots', 'GET /v1/a%2f..%2fb HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n'],
  ])('are served with %s', async (_name, bytes) => {
    const { port } = await start(echo);
    expect(statusesOf(await sendRaw(port, [bytes]))).toEqual([200]);
  });

  it('O4: HTTP/1.0 without a host is served', async () => {
    const { port } = await start(echo);
    expect(answerOf(await sendRaw(port, ['GET /v1/sys/health HTTP/1.0\r\n\r\n']))).toMatchObject({ method: 'GET' });
  });
});

describe('bodies', () => {
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const chunkedHead = 'POST / HTTP/1.1\r\nhost: p\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';

  it.each([
    ['declared', ['POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 5\r\nconnection: close\r\n\r\n', 'ab', 'cde'], 5],
    ['chunked', [chunkedHead, chunk('abc'), chunk('de'), '0\r\n\r\n'], 5],
    ['empty', ['POST / HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n'], 0],
  ])('that come %s and slowly are read whole', async (_name, pieces, length) => {
    const { port } = await start(measure);
    expect((await sendRaw(port, pieces)).endsWith(`{"length":${length}}`)).toBe(true);
  });

  it('of single bytes are kept in few pieces', async () => {
    const { port } = await start(measure);
    const bytes = Array.from({ length: 500 }, () => chunk('x')).join('');
    expect((await sendRaw(port, [chunkedHead, bytes, '0\r\n\r\n'])).endsWith('{"length":500}')).toBe(true);
  });

  it('over the limit are refused unread when declared', async () => {
    const { port } = await start(measure);
    const raw = await sendRaw(port, [
      'POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 1001\r\nconnection: close\r\n\r\n',
    ]);
    expect(statusesOf(raw)).toEqual([413]);
  });

  it('V1: that are refused are not read to their end, and their sender gets the answer', async () => {
    let seen = 0;
    const { port } = await start(async (_request, { incoming }) => {
      incoming.socket.once('close', () => {
        seen = incoming.socket.bytesRead;
      });
      return new Response('no', { status: 403 });
    });
    const size = 32 * 1024 * 1024;
    const head = `POST / HTTP/1.1\r\nhost: p\r\ncontent-length: ${size}\r\n\r\n`;
    const raw = await sendRaw(port, [head, Buffer.alloc(size)]);
    expect(statusesOf(raw)).toEqual([403]);
    expect(raw).toMatch(/^connection: close\r$/im);
    expect(seen).toBeLessThan(size / 4);
  });

  it('that are small and unread keep their connection', async () => {
    const { port } = await start(async () => new Response('no', { status: 403 }));
    const post = `POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 1000\r\n\r\n`;
    const raw = await sendRaw(port, [post, 'x'.repeat(1000), 'GET / HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n']);
    expect(statusesOf(raw)).toEqual([403, 403]);
  });

  it('over the limit are refused at the chunk that passes it', async () => {
    const { port } = await start(measure);
    const pieces = Array.from({ length: 60 }, () => chunk('x'.repeat(100)));
    const raw = await sendRaw(port, [chunkedHead, ...pieces], 2);
    expect(statusesOf(raw)).toEqual([413]);
  });

  it('of clients that go away end the wait', async () => {
    let ended: (code: string) => void = () => undefined;
    const end = new Promise<string>((resolve) => {
      ended = resolve;
    });
    const { port } = await start(async (request, { incoming }) => {
      await readNodeBody(request, 1000, { incoming }).catch((error: { code: string }) => ended(error.code));
      return new Response(null, { status: 204 });
    });
    const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': '10' } });
    request.on('error', () => undefined);
    request.write('abc');
    setTimeout(() => request.destroy(), 50);
    expect(await end).toBe('body_invalid');
  });
});

describe('the end', () => {
  it('waits for requests in flight, and no longer than it may', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const listener = await start(async () => {
      await held;
      return new Response('done');
    });
    const answer = fetch(`http://127.0.0.1:${listener.port}/`).then((response) => response.text());
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closed = listener.close(5000);
    await expect(fetch(`http://127.0.0.1:${listener.port}/`)).rejects.toThrow();
    release();
    expect(await answer).toBe('done');
    const started = performance.now();
    await closed;
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it('O7: ends connections by saying so: with requests in flight, with those that still come', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const listener = await start(async (request) => {
      if (request.url.endsWith('/held')) await held;
      return new Response('done');
    });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: p\r\n\r\n`;
    const inFlight = sendRaw(listener.port, [get('/held')]);
    const before = await fetch(`http://127.0.0.1:${listener.port}/`);
    expect(before.headers.get('connection')).toBe('keep-alive');
    await before.text();
    await new Promise((resolve) => setTimeout(resolve, 50));
    listener.drain();
    const after = await sendRaw(listener.port, [get('/a'), get('/b')], 50);
    expect(after).toMatch(/^connection: close\r$/im);
    expect(statusesOf(after)).toEqual([200]);
    release();
    expect(await inFlight).toMatch(/^connection: close\r$/im);
  });

  it('cuts off a request that does not end', async () => {
    const listener = await start(() => new Promise(() => undefined));
    const answer = fetch(`http://127.0.0.1:${listener.port}/`);
    answer.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await listener.close(100);
    await expect(answer).rejects.toThrow();
  });
});

describe('the signal of a connection', () => {
  it('is one for its requests, another for those of others, and fires when the connection closes', async () => {
    const signals: AbortSignal[] = [];
    const { port } = await start(async (request, info) => {
      signals.push(connectionSignal(request, info));
      return new Response('ok');
    });
    const get = 'GET /v1/x HTTP/1.1\r\nhost: p\r\n\r\n';
    await sendRaw(port, [get, get, 'LIST /v1/x HTTP/1.1\r\nhost: p\r\n\r\n'], 50);
    await sendRaw(port, ['GET /v1/x HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n']);
    expect(signals).toHaveLength(4);
    expect(new Set(signals).size).toBe(2);
    await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true]));
  });

  it('fires while a request is in progress whose client goes away', async () => {
    let leave: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const { port } = await start(async (request, info) => {
      connectionSignal(request, info).addEventListener('abort', leave);
      client.destroy();
      await gone;
      return new Response('ok');
    });
    const client = httpRequest({ port, path: '/v1/x' }).on('error', () => undefined);
    client.end();
    await gone;
  });
});
