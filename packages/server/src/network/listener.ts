/** Node's HTTP server in front of the application: limits on connections, heads and slow clients, and graceful shutdown. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { peerKey } from '@postern/kernel';
import { acceptListVerb, restoreListVerb, rootSocket, STAND_IN_METHOD } from './list-verb.js';
import { createBodyPace, type PaceLimits } from './request-body.js';

/** Bounds on what a client may take. Milliseconds and bytes. */
const LIMITS = {
  /** Until the head of a request is complete. */
  headersTimeout: 10_000,
  /** Until a request is complete: the default archive's bytes at the minimum rate of an upload. */
  requestTimeout: 2 * 60 * 60 * 1000,
  /** Between requests. */
  keepAliveTimeout: 30_000,
  /** How often the first two are checked. */
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
} as const;

const PACE: PaceLimits = { bodyTimeout: 30_000, uploadStretch: 30_000, uploadBytes: 30 * 16 * 1024 };

/** Time to read the 408 before the socket is destroyed. Milliseconds. */
const LAST_WORD_MS = 1_000;

/** Without a byte in either direction: a client that does not read its answer. Milliseconds. */
const IDLE_SOCKET_MS = 60_000;

/** Shorter times for tests; not configurable. */
export type ListenerLimits = Partial<Record<keyof typeof LIMITS | keyof PaceLimits | 'idleSocket', number>>;

/** How often a server that shuts down closes idle connections. */
const DRAIN_CHECK_MS = 20;

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** From now on every answer ends its connection. */
  drain(): void;
  /** Drains: stops accepting, waits for requests in flight at most `graceMs`, then closes the rest. */
  close(graceMs: number): Promise<void>;
}

/** What the application receives with a request. */
export interface NodeRequestInfo {
  readonly incoming: IncomingMessage;
  /** Gives the body a minimum rate to keep instead of a deadline, once the caller is known to be allowed to upload. */
  readonly acceptUpload: () => void;
}

/** @throws the error of `listen`: `EADDRINUSE`, `EACCES` … */
export async function listen(
  fetch: (request: Request, info: NodeRequestInfo) => Promise<Response>,
  at: { readonly host: string; readonly port: number; readonly connections?: ConnectionLimits },
  { idleSocket = IDLE_SOCKET_MS, ...given }: ListenerLimits = {},
): Promise<Listener> {
  const limits = { ...LIMITS, ...PACE, ...given };
  const pace = createBodyPace(limits, cutOff);
  const inFlight = new Set<ServerResponse>();
  let isDraining = false;
  const serve = getRequestListener(
    async (request, env) => {
      const incoming = incomingOf(env);
      const response = await fetch(request, { incoming, acceptUpload: () => pace.acceptUpload(incoming) });
      if (isLargeAndUnread(incoming)) leaveUnread(incoming, outgoingOf(env));
      return response;
    },
    // The host of a request without one, which HTTP/1.0 allows: the health checks of haproxy send none.
    { hostname: 'localhost', autoCleanupIncoming: false },
  );
  const server = createServer(limits, (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.method === STAND_IN_METHOD) restoreListVerb(incoming, outgoing);
    const refusal = guard.isExcess(rootSocket(incoming)) ? TOO_MANY : judgeHead(incoming);
    if (refusal !== undefined) {
      refuseHead(outgoing, refusal);
      return;
    }
    inFlight.add(outgoing);
    outgoing.once('close', () => inFlight.delete(outgoing));
    if (isDraining) outgoing.setHeader('connection', 'close');
    pace.begin(incoming);
    void serve(incoming, outgoing);
  });
  const guard = guardConnections(server, at.connections ?? {}, LAST_WORD_MS);
  // Counted by `judgeHead`: Node would leave out the rest in silence. Bounded by `maxHeaderSize`.
  server.maxHeadersCount = 0;
  server.setTimeout(idleSocket);
  acceptListVerb(server, refuseMalformed);
  const port = await listenOn(server, at);
  const pacing = setInterval(() => pace.check(), limits.connectionsCheckingInterval).unref();
  server.once('close', () => clearInterval(pacing));
  const startDraining = () => {
    isDraining = true;
    for (const outgoing of inFlight) if (!outgoing.headersSent) outgoing.setHeader('connection', 'close');
  };
  return {
    host: at.host,
    port,
    drain: startDraining,
    close(graceMs) {
      startDraining();
      return end(server, graceMs);
    },
  };
}

function end(server: Server, graceMs: number): Promise<void> {
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

/** As Node itself does with requests that take too long. */
function cutOff({ socket }: IncomingMessage): void {
  refuseMalformed('ERR_HTTP_REQUEST_TIMEOUT', socket);
  destroyAfter(socket, LAST_WORD_MS);
}

function destroyAfter(socket: Duplex, delayMs: number): void {
  setTimeout(() => socket.destroy(), delayMs).unref();
}

const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers what the parser rejected, without quoting it, and closes the connection. */
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

const TOO_MANY: HeadRefusal = { status: 503, text: 'too many connections; try again' };

/** Without looking at the rest of the request, which is not read. */
function refuseHead(outgoing: ServerResponse, { status, text }: HeadRefusal): void {
  const body = JSON.stringify({ errors: [text] });
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    'cache-control': 'no-store',
    connection: 'close',
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  });
  outgoing.end(body);
}

/** What Node reads and drops to keep a connection. Bytes. */
const MAX_DROPPED = 64 * 1024;

function isLargeAndUnread({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_DROPPED;
}

/** To read and drop what a refused client still sends costs more than the refusal. It has a moment to read its answer. */
function leaveUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming;
  if (!outgoing.headersSent) outgoing.setHeader('connection', 'close');
  incoming.pause();
  socket.destroySoon = () => {
    socket.end();
    destroyAfter(socket, LAST_WORD_MS);
  };
}

/** Of the sockets of connections that are open. */
const signals = new WeakMap<Duplex, AbortController>();

/**
 * Fires when the connection of a request closes. One for all its requests, which come one after another: to make a signal costs
 * 3 % of a login. Who listens must leave when the request ends, as everything that takes a signal here does.
 */
export function connectionSignal(_request: Request, { incoming }: Pick<NodeRequestInfo, 'incoming'>): AbortSignal {
  const socket = rootSocket(incoming);
  const known = signals.get(socket);
  if (known !== undefined) return known.signal;
  const controller = new AbortController();
  signals.set(socket, controller);
  if (socket.destroyed) controller.abort();
  else socket.once('close', () => controller.abort());
  return controller.signal;
}

function outgoingOf(env: { outgoing: unknown }): ServerResponse {
  // As `incomingOf`.
  return env.outgoing as ServerResponse;
}

function incomingOf(env: { incoming: unknown }): IncomingMessage {
  // The listener serves HTTP/1 only: `createServer` above is that of node:http.
  return env.incoming as IncomingMessage;
}

/** @returns the port that was bound. @throws the error of `listen`: `EADDRINUSE`, `EACCES` … */
export async function listenOn(server: Server, at: { readonly host: string; readonly port: number }): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.port, at.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A server that listens on TCP has an address of this form.
  return (server.address() as AddressInfo).port;
}

/** `http://127.0.0.1:8200`, `http://[::1]:8200` */
export function urlAt(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export interface HeadRefusal {
  readonly status: number;
  readonly text: string;
}

export const MAX_HEADERS = 100;

/** A segment `.` or `..`, escaped or not: proxies and servers do not agree on when it is resolved. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/** @returns undefined for a head that is accepted. */
export function judgeHead({ rawHeaders, url = '' }: IncomingMessage): HeadRefusal | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) return { status: 431, text: `more than ${MAX_HEADERS} headers` };
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return { status: 400, text: 'the Host header occurs twice' };
  const query = url.indexOf('?');
  if (DOT_SEGMENT.test(query < 0 ? url : url.slice(0, query)))
    return { status: 400, text: 'the path has a dot segment' };
  return undefined;
}

export interface ConnectionLimits {
  /** Default 5,000: an idle one costs about 10 KB. */
  readonly total?: number | undefined;
  /** By address of the socket (IPv6: one /64). Default 500. */
  readonly perPeer?: number | undefined;
  /** Proxies bring the connections of many peers: only the total holds for them. */
  readonly isProxy?: ((address: string) => boolean) | undefined;
}

const DEFAULT_TOTAL = 5000;
const DEFAULT_PER_PEER = 500;

/** For those who are told that there are too many; beyond them connections are dropped unanswered. */
const SPARE = 500;

export interface ConnectionGuard {
  /** Whether this connection is one too many. */
  isExcess(socket: object): boolean;
}

/** @param graceMs how long one too many may wait for its answer. */
export function guardConnections(server: Server, limits: ConnectionLimits, graceMs: number): ConnectionGuard {
  const { total = DEFAULT_TOTAL, perPeer = DEFAULT_PER_PEER, isProxy = () => false } = limits;
  server.maxConnections = total + SPARE;
  let open = 0;
  const byPeer = new Map<string, number>();
  const excess = new WeakSet<object>();

  server.on('connection', (socket) => {
    // A LIST request is parsed over a stream that stands for a connection which was counted.
    if (!(socket instanceof Socket)) return;
    const address = socket.remoteAddress ?? '';
    const peer = isProxy(address) ? undefined : peerKey(address);
    const ofPeer = peer === undefined ? 0 : (byPeer.get(peer) ?? 0);
    if (open >= total || ofPeer >= perPeer) {
      excess.add(socket);
      destroyAfter(socket, graceMs);
      return;
    }
    open += 1;
    if (peer !== undefined) byPeer.set(peer, ofPeer + 1);
    socket.once('close', () => {
      open -= 1;
      if (peer === undefined) return;
      const left = (byPeer.get(peer) ?? 0) - 1;
      if (left > 0) byPeer.set(peer, left);
      else byPeer.delete(peer);
    });
  });
  return { isExcess: (socket) => excess.has(socket) };
}
