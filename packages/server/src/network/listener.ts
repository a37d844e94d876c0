/** The HTTP server of Node before the application: time and size limits against slow clients, and an orderly end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { AuthError } from '@postern/core-auth';
import { bodyTooLarge } from '@postern/http';
import { createBodyPace, type PaceLimits } from './body-pace.js';
import { acceptListVerb, restoreListVerb } from './list-verb.js';
import { listenOn } from './listen-on.js';

/** Bounds on what a client may take. Milliseconds and bytes. */
const LIMITS = {
  /** Until the head of a request is there. */
  headersTimeout: 10_000,
  /** Until all of a request is there, whatever it is: the default archive's bytes at the slowest pace of an upload. */
  requestTimeout: 2 * 60 * 60 * 1000,
  /** Between requests. */
  keepAliveTimeout: 30_000,
  /** How often the first two are looked at. */
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
} as const;

const PACE: PaceLimits = { bodyTimeout: 30_000, uploadStretch: 30_000, uploadBytes: 30 * 16 * 1024 };

/** Who was told that they are too slow has so long to read it. Milliseconds. */
const LAST_WORD_MS = 1_000;

const MAX_HEADERS = 100;

/** Without a byte in either direction: a client that does not read its answer. Milliseconds. */
const IDLE_SOCKET_MS = 60_000;

/** Shorter waits, for tests; not the operator's to change. */
export type ListenerLimits = Partial<Record<keyof typeof LIMITS | keyof PaceLimits | 'idleSocket', number>>;

/** How often an ending server looks for connections that fell idle. */
const DRAIN_CHECK_MS = 20;

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Stops accepting, waits for requests in flight at most so long, then cuts off what is left. */
  close(graceMs: number): Promise<void>;
}

/** What the application is given with a request. */
export interface NodeRequestInfo {
  readonly incoming: IncomingMessage;
  /** This body may be large and whoever sends it is known: it has a pace to keep instead of a deadline. */
  readonly letUploadIn: () => void;
}

/** @throws the error of `listen`: `EADDRINUSE`, `EACCES` … */
export async function listen(
  fetch: (request: Request, info: NodeRequestInfo) => Promise<Response>,
  at: { readonly host: string; readonly port: number },
  { idleSocket = IDLE_SOCKET_MS, ...given }: ListenerLimits = {},
): Promise<Listener> {
  const limits = { ...LIMITS, ...PACE, ...given };
  const pace = createBodyPace(limits, cutOff);
  const serve = getRequestListener((request, env) => {
    const incoming = incomingOf(env);
    return fetch(request, { incoming, letUploadIn: () => pace.letUploadIn(incoming) });
  });
  const server = createServer(limits, (incoming: IncomingMessage, outgoing: ServerResponse) => {
    restoreListVerb(incoming, outgoing);
    pace.begin(incoming);
    void serve(incoming, outgoing);
  });
  const pacing = setInterval(() => pace.check(), limits.connectionsCheckingInterval).unref();
  server.once('close', () => clearInterval(pacing));
  server.maxHeadersCount = MAX_HEADERS;
  server.setTimeout(idleSocket);
  acceptListVerb(server, refuseMalformed);
  const port = await listenOn(server, at);
  return { host: at.host, port, close: (graceMs) => drain(server, graceMs) };
}

function drain(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), DRAIN_CHECK_MS);
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
  });
}

/** As Node itself does with requests that take too long, and the end of whoever still reads of it. */
function cutOff({ socket }: IncomingMessage): void {
  refuseMalformed('ERR_HTTP_REQUEST_TIMEOUT', socket);
  setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
}

const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What the parser refused: an answer without a word of it, and the end of the connection. */
function refuseMalformed(code: string | undefined, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = REFUSALS[code ?? ''] ?? '400 Bad Request';
  const body = '{"errors":["malformed request"]}';
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n${body}`,
  );
}

function incomingOf(env: { incoming: unknown }): IncomingMessage {
  // The listener serves HTTP/1 only: `createServer` above is that of node:http.
  return env.incoming as IncomingMessage;
}

/** @throws AuthError `body_too_large`; `body_invalid` when the client goes away before the end. */
export function readNodeBody(incoming: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (Number(incoming.headers['content-length']) > limitBytes) {
      reject(bodyTooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) {
        leave();
        incoming.pause();
        reject(bodyTooLarge());
      } else chunks.push(chunk);
    };
    const onEnd = () => {
      leave();
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, length));
    };
    const onLost = () => {
      leave();
      reject(new AuthError('body_invalid', 'the request body could not be read'));
    };
    const leave = () => {
      incoming.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
    };
    incoming.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  });
}
