/** Clients that take their time are cut off, by limits made short here; one that is quick is not (THREAT-35). */
import { afterEach, describe, expect, it } from 'vitest';
import { sendRaw, statusesOf } from '../../test/raw-http.js';
import { type Listener, type ListenerLimits, listen } from './listener.js';
import { readNodeBody } from './request-body.js';

const open: Listener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close(100)));
});

async function start(limits: ListenerLimits): Promise<number> {
  const listener = await listen(
    async (request, { incoming }) =>
      Response.json({ length: (await readNodeBody(request, 1000, { incoming })).length }),
    { host: '127.0.0.1', port: 0 },
    { connectionsCheckingInterval: 20, ...limits },
  );
  open.push(listener);
  return listener.port;
}

async function timed(run: () => Promise<string>): Promise<{ raw: string; ms: number }> {
  const started = performance.now();
  const raw = await run();
  return { raw, ms: performance.now() - started };
}

describe('a client', () => {
  it('that never ends the head of its request is cut off with 408', async () => {
    const port = await start({ headersTimeout: 200, requestTimeout: 10_000 });
    const { raw, ms } = await timed(() => sendRaw(port, ['POST / HTTP/1.1\r\n', 'host: p\r\n', 'a: b\r\n'], 50));
    expect(statusesOf(raw)).toEqual([408]);
    expect(ms).toBeLessThan(5_000);
  });

  it('that never ends its body is cut off with 408', async () => {
    const port = await start({ headersTimeout: 200, requestTimeout: 300 });
    const head = 'POST / HTTP/1.1\r\nhost: p\r\ncontent-length: 100\r\n\r\n';
    const { raw, ms } = await timed(() => sendRaw(port, [head, ...Array.from({ length: 40 }, () => 'x')], 25));
    expect(statusesOf(raw)[0]).toBe(408);
    expect(ms).toBeLessThan(5_000);
  });

  it.each<[string, ListenerLimits]>([
    ['after an answer', { keepAliveTimeout: 100 }],
    ['from the start', { idleSocket: 100 }],
  ])('that says nothing %s loses its connection', async (when, limits) => {
    const port = await start(limits);
    const pieces = when === 'from the start' ? [] : ['GET / HTTP/1.1\r\nhost: p\r\n\r\n'];
    const { raw, ms } = await timed(() => sendRaw(port, pieces));
    expect(statusesOf(raw)).toEqual(pieces.length === 0 ? [] : [200]);
    expect(ms).toBeLessThan(5_000);
  });

  it('that is slow within the limits is answered', async () => {
    const port = await start({ headersTimeout: 2_000, requestTimeout: 4_000 });
    const head = 'POST / HTTP/1.1\r\nhost: p\r\nconnection: close\r\ncontent-length: 3\r\n\r\n';
    expect(statusesOf(await sendRaw(port, [head, 'a', 'b', 'c'], 50))).toEqual([200]);
  });
});
