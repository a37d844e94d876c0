/** A server as an operator starts it, behind a proxy that names its callers, and what strangers do to it. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSite, LOGIN_PATH, servePostern } from '@postern/internal';
import { httpCall } from '../http-call.js';

/** A `MiB` of short names: 0.42 s of CPU before members were counted (V1). */
export const MEMBERS = Buffer.from(`{${Array.from({ length: 104_000 }, (_, at) => `"a${at}":1`).join(',')}}`);

export type AttackSite = Awaited<ReturnType<typeof openAttackSite>>;

export async function openAttackSite() {
  // Rates as they are by default: this process plays the proxy.
  const site = createSite({ loginRate: {}, peerRate: {}, tokenRate: {}, trustedProxies: ['127.0.0.1'] });
  const server = await servePostern(site.configFile);
  await site.writeRole(server.url, server.rootToken ?? '', 'web');
  const { port } = new URL(server.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  /** @returns the status; 0 where the connection was cut. */
  async function send(peer: string, path: string, body: Buffer | string, headers: Record<string, string> = {}) {
    const call = { method: 'POST', headers: { 'x-forwarded-for': peer, ...headers }, body };
    return (await httpCall(agent, server.url + path, call)).status;
  }

  return {
    url: server.url,
    send,
    login: (peer: string, pkcs7: string) => send(peer, LOGIN_PATH, JSON.stringify({ role: 'web', pkcs7, nonce: 'n' })),
    newDocument: () => site.newDocument().pkcs7,
    /** Sends the head of a chunked login and some of its body, and holds the connection. */
    hold(peer: string, bytes: number): Socket {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `POST ${LOGIN_PATH} HTTP/1.1\r\nhost: p\r\nx-forwarded-for: ${peer}\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      socket.write(`${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`);
      return socket;
    },
    auditLines: () => readFileSync(join(site.folder, 'audit.log'), 'utf8').trim().split('\n'),
    /** Of the server, milliseconds: user and system. */
    cpuMs() {
      const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      // Clock ticks of 10 ms (proc(5): utime and stime are fields 14 and 15).
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    rssMiB: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024,
    async close() {
      agent.destroy();
      server.signal('SIGTERM');
      await server.ended;
      site.remove();
    },
  };
}
