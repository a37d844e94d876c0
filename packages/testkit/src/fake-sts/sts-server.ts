/** The HTTP face: turns what is on the wire into a request, byte for byte, and an answer into what goes back. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { WireRequest } from '../sigv4/wire-request.js';
import type { FakeStsListener } from './fake-sts-types.js';
import type { StsAnswer } from './sts-answer.js';

/** `hang` answers nothing; `cut` sends half of the answer and closes. */
export interface Delivery {
  readonly how: 'whole' | 'hang' | 'cut';
  readonly answer: StsAnswer;
}

type Handler = (request: WireRequest, endpoint: string, signal: AbortSignal) => Promise<Delivery>;

const MAX_BODY_BYTES = 65_536;

export async function listenAsSts(handle: Handler): Promise<FakeStsListener> {
  const closing = new AbortController();
  let url = '';
  const server = createServer((incoming, outgoing) => {
    // Taken now: a message that was read only in part lets go of its socket.
    const { socket } = incoming;
    serve(incoming, outgoing).catch(() => socket.destroy());
  });

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    const request = await readRequest(incoming);
    const { how, answer } = await handle(request, url, AbortSignal.any([closing.signal, gone.signal]));
    if (how === 'hang') return;
    const body = Buffer.from(answer.body);
    outgoing.writeHead(answer.status, {
      ...answer.headers,
      ...(answer.contentType === undefined ? {} : { 'Content-Type': answer.contentType }),
      ...(answer.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(answer.retryAfterSeconds) }),
      'Content-Length': String(body.length),
    });
    if (how === 'whole') outgoing.end(body);
    else outgoing.write(body.subarray(0, body.length >> 1), () => outgoing.destroy());
  };

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP listener has a port');
  url = `http://127.0.0.1:${address.port}`;

  let closed: Promise<void> | undefined;
  return {
    url,
    close: () => {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve());
        closing.abort();
        server.closeAllConnections();
      });
      return closed;
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    // Holds: without an encoding set, a message is read as Buffers.
    chunks.push(chunk as Uint8Array);
    size += chunks.at(-1)?.length ?? 0;
    if (size > MAX_BODY_BYTES) throw new RangeError('the body is too large');
  }
  const headers: (readonly [string, string])[] = [];
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.push([incoming.rawHeaders[at] ?? '', utf8(incoming.rawHeaders[at + 1] ?? '')]);
  }
  return {
    method: incoming.method ?? '',
    target: utf8(incoming.url ?? ''),
    headers,
    body: size === 0 ? undefined : Buffer.concat(chunks),
  };
}

/** Node reads the head of a message as Latin-1; what was signed is the bytes. */
function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
