/** Too many connections, over real sockets (WIRE-25, THREAT-35). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sendRaw, statusesOf } from '../../test/raw-http.js';
import { type ConnectionLimits, type Listener, listen } from './listener.js';

const open: Listener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close(1000)));
});

describe('V4: connections', () => {
  const get = 'GET /v1/x HTTP/1.1\r\nhost: p\r\n\r\n';

  async function limited(connections: ConnectionLimits) {
    const listener = await listen(async () => new Response('served'), { host: '127.0.0.1', port: 0, connections });
    open.push(listener);
    const held: Socket[] = [];
    for (let at = 0; at < 3; at += 1) {
      const socket = connect(listener.port, '127.0.0.1');
      await once(socket, 'connect');
      held.push(socket);
    }
    const free = () => {
      for (const socket of held) socket.destroy();
    };
    return { port: listener.port, free };
  }

  it.each<[string, ConnectionLimits]>([
    ['in total', { total: 3 }],
    ['of a peer', { perPeer: 3 }],
  ])('too many %s are answered 503 with Retry-After, and serve again once others end', async (_name, limits) => {
    const { port, free } = await limited(limits);
    const refused = await sendRaw(port, [`POST /v1/x HTTP/1.1\r\nhost: p\r\ncontent-length: 1000\r\n\r\n`]);
    expect(statusesOf(refused)).toEqual([503]);
    expect(refused).toMatch(/^retry-after: 1\r$/im);
    expect(statusesOf(await sendRaw(port, [get.replace('GET', 'LIST')]))).toEqual([503]);
    free();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await fetch(`http://127.0.0.1:${port}/v1/x`)).status).toBe(200);
  });

  it('of a proxy are those of many peers', async () => {
    const { port, free } = await limited({ perPeer: 1, isProxy: (address) => address === '127.0.0.1' });
    expect((await fetch(`http://127.0.0.1:${port}/v1/x`)).status).toBe(200);
    free();
  });

  it('too many that ask nothing are closed', async () => {
    const { port, free } = await limited({ total: 3 });
    const started = performance.now();
    expect(await sendRaw(port, [])).toBe('');
    expect(performance.now() - started).toBeLessThan(3000);
    free();
  });
});
