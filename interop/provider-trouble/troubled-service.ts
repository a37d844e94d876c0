/** A service of the provider on loopback that can be in trouble: what it is asked and what it answers comes from outside. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export const TROUBLES = ['down', 'slow', 'throttling', 'an HTML page with 502', 'closing in mid-answer'] as const;

export type Trouble = (typeof TROUBLES)[number];

/** Longer than the provider may take in these tests. */
export const SLOW_MS = 10_000;

export interface ServiceAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

export interface ServiceRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export interface TroubledService {
  readonly url: string;
  readonly port: number;
  /** The Host header of every request that arrived, in order. */
  readonly hosts: string[];
  begin(trouble: Trouble): Promise<void>;
  /** Good answers again, on the same port. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export async function startTroubledService(
  answer: (request: ServiceRequest) => Promise<ServiceAnswer>,
  throttled: ServiceAnswer,
): Promise<TroubledService> {
  const hosts: string[] = [];
  const sockets = new Set<Socket>();
  let trouble: Trouble | undefined;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    hosts.push(request.headers.host ?? '');
    const { rawHeaders } = request;
    const headers = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
    );
    if (trouble === 'slow') await sleep(SLOW_MS, undefined, { ref: false });
    if (trouble === 'throttling') return send(response, throttled);
    if (trouble === 'an HTML page with 502') {
      return send(response, { status: 502, contentType: 'text/html', body: '<html><h1>Bad Gateway</h1></html>' });
    }
    const body = Buffer.concat(chunks);
    const good = await answer({ method: request.method ?? '', target: request.url ?? '', headers, body });
    if (trouble !== 'closing in mid-answer') return send(response, good);
    const whole = Buffer.from(good.body);
    response.writeHead(good.status, { 'content-type': good.contentType, 'content-length': whole.length });
    response.write(whole.subarray(0, whole.length >> 1), () => response.destroy());
  }

  function send(response: ServerResponse, { status, contentType, body }: ServiceAnswer): void {
    response.writeHead(status, { 'content-type': contentType }).end(body);
  }

  function open(port: number): Promise<Server> {
    const server = createServer((request, response) => {
      serve(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve(server));
    });
  }

  let server: Server | undefined = await open(0);
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo;

  async function stop(): Promise<void> {
    const stopping = server;
    server = undefined;
    if (stopping === undefined) return;
    const stopped = new Promise((resolve) => stopping.close(resolve));
    for (const socket of sockets) socket.destroy();
    await stopped;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    hosts,
    async begin(what) {
      trouble = what;
      if (what === 'down') await stop();
    },
    async end() {
      trouble = undefined;
      server ??= await open(port);
    },
    close: stop,
  };
}
