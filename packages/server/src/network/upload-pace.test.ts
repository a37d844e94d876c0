/** Uploads that the application lets in may take their time as long as they keep a pace; nothing else may (THREAT-35). */
import { afterEach, describe, expect, it } from 'vitest';
import { sendRaw, statusesOf } from '../../test/raw-http.js';
import { type Listener, type ListenerLimits, listen } from './listener.js';
import { readNodeBody } from './request-body.js';

const open: Listener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close(100)));
});

/** Lets in what is sent to `/upload`. A body may take 200 ms; an upload brings 100 bytes each 200 ms. */
async function start(limits: ListenerLimits = {}): Promise<number> {
  const listener = await listen(
    async (request, { incoming, acceptUpload }) => {
      if (new URL(request.url).pathname === '/upload') acceptUpload();
      return Response.json({ length: (await readNodeBody(request, 100_000, { incoming })).length });
    },
    { host: '127.0.0.1', port: 0 },
    { connectionsCheckingInterval: 20, bodyTimeout: 200, uploadStretch: 200, uploadBytes: 100, ...limits },
  );
  open.push(listener);
  return listener.port;
}

const head = (path: string, length: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nhost: p\r\n${more}content-length: ${length}\r\n\r\n`;
const pieces = (count: number, size: number) => Array.from({ length: count }, () => 'x'.repeat(size));
const CLOSE = 'connection: close\r\n';

describe('a body', () => {
  it('of an upload that keeps the pace is taken, however long', async () => {
    const port = await start();
    const raw = await sendRaw(port, [head('/upload', 40 * 50, CLOSE), ...pieces(40, 50)], 20);
    expect(statusesOf(raw)).toEqual([200]);
    expect(raw).toContain('{"length":2000}');
  });

  it.each([
    ['of any other request at the same pace', '/other', 50, {}],
    ['of an upload that drips', '/upload', 1, {}],
    [
      'of an upload that takes longer than any request may',
      '/upload',
      50,
      { headersTimeout: 100, requestTimeout: 300 },
    ],
  ])('%s is cut off with 408', async (_what, path, size, limits) => {
    const port = await start(limits);
    const raw = await sendRaw(port, [head(path, 100 * size), ...pieces(99, size)], 20);
    expect(statusesOf(raw)).toEqual([408]);
  });

  it('of the request after an upload, on the same connection, has the deadline again', async () => {
    const port = await start();
    const raw = await sendRaw(
      port,
      [head('/upload', 100), 'x'.repeat(100), head('/other', 5000), ...pieces(60, 50)],
      20,
    );
    expect(statusesOf(raw)).toEqual([200, 408]);
  });

  it('that the server does not read is not counted against the client', async () => {
    let read: () => void = () => undefined;
    const unread = new Promise<void>((resolve) => {
      read = resolve;
    });
    const listener = await listen(
      async (request, { incoming, acceptUpload }) => {
        acceptUpload();
        await unread;
        return Response.json({ length: (await readNodeBody(request, 10_000_000, { incoming })).length });
      },
      { host: '127.0.0.1', port: 0 },
      { connectionsCheckingInterval: 20, bodyTimeout: 100, uploadStretch: 100, uploadBytes: 100 },
    );
    open.push(listener);
    setTimeout(read, 400);
    const raw = await sendRaw(listener.port, [head('/', 4_000_000, CLOSE), 'x'.repeat(4_000_000)]);
    expect(statusesOf(raw)).toEqual([200]);
  });
});
