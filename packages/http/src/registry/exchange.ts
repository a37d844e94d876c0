/** One request as the handlers of the registry see it, and what they answer. */
import type { RegistryCall, RegistrySession } from '@postern/core-registry';
import type { ModuleAddress, ModuleVersionAddress } from '@postern/ports';
import { type Compress, wantsGzip } from '../compress.js';
import type { Problem, Representation } from './representation.js';

export interface Exchange {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly call: RegistryCall;
  /** Of this request: identifies the caller once. */
  readonly session: RegistrySession;
  readonly representation: Representation;
  /** The whole body, within the limit. @throws AuthError `body_too_large`, `body_invalid` */
  readBody(): Promise<Uint8Array>;
  /** The body piece by piece, however large: an archive. Begins to be read with its first piece. */
  streamBody(): AsyncIterable<Uint8Array>;
}

export interface Answer {
  readonly status: number;
  /** Text and bytes are hashed for their ETag where the request is a read. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  /** Default: that of the representation. */
  readonly contentType?: string | undefined;
  /** With its quotes, where it is known without hashing the body. */
  readonly etag?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type Handler = (exchange: Exchange) => Promise<Answer>;

export function json(status: number, body: unknown): Answer {
  return { status, body: JSON.stringify(body) };
}

/**
 * The module that a path names. A path below `/api/v2` names its organization twice; where the two differ the address is
 * malformed, so that core answers as for any module that is not there (REGAPI-1).
 */
export function moduleOf({ params }: Pick<Exchange, 'params'>): ModuleAddress {
  const { organization_name: namespace = '', organization_again: again = namespace } = params;
  const { module_name: name = '', module_provider: provider = '' } = params;
  return { namespace: namespace === again ? namespace : '', name, provider };
}

export function versionOf(exchange: Pick<Exchange, 'params'>): ModuleVersionAddress {
  const { module_version: version = '' } = exchange.params;
  return { ...moduleOf(exchange), version };
}

/** What all answers are made with. */
export interface Responding {
  readonly request: Request;
  readonly representation: Representation;
  readonly requestId: string;
  readonly compress: Compress;
}

/** From an answer to a response: headers that all have, entity tags, what a client has already, gzip, bodies of HEAD. */
export async function respond(
  answer: Answer,
  { request, representation, requestId, compress }: Responding,
  more: Readonly<Record<string, string>>,
): Promise<Response> {
  const { status } = answer;
  let body = typeof answer.body === 'string' ? new TextEncoder().encode(answer.body) : answer.body;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const headers: Record<string, string> = { ...baseHeaders(requestId), ...more, ...answer.headers };
  if (body !== null || request.method === 'HEAD')
    headers['content-type'] = answer.contentType ?? representation.contentType;
  if (isRead && (status === 200 || status === 206)) {
    const plain = answer.etag ?? (body instanceof Uint8Array ? await strongEtag(body) : undefined);
    const isGzipped = body instanceof Uint8Array && wantsGzip(request.headers, body.byteLength);
    // Other bytes, so another tag (RFC 9110, 8.8.3.3).
    const etag = isGzipped ? plain?.replace(/"$/, '-gzip"') : plain;
    if (etag !== undefined) {
      headers['etag'] = etag;
      if (status === 200 && matchesEtag(request.headers.get('if-none-match'), etag)) {
        if (body instanceof ReadableStream) await body.cancel();
        delete headers['content-type'];
        delete headers['content-length'];
        return new Response(null, { status: 304, headers });
      }
    }
    const gzipped = isGzipped && body instanceof Uint8Array ? await compress(body, etag) : undefined;
    if (gzipped !== undefined) {
      body = gzipped;
      headers['content-encoding'] = 'gzip';
    } else if (isGzipped && plain !== undefined) {
      headers['etag'] = plain;
    }
  }
  if (body instanceof Uint8Array) headers['content-length'] = String(body.byteLength);
  if (request.method === 'HEAD') return new Response(null, { status, headers });
  // These bytes are never in shared memory, which the wider type would allow.
  return new Response(body as BodyInit | null, { status, headers });
}

export function problemResponse(problem: Problem, representation: Representation, requestId: string): Response {
  const { status, retryAfterSeconds, headers } = problem;
  return new Response(representation.problemBody(problem), {
    status,
    headers: {
      ...baseHeaders(requestId),
      'content-type': representation.contentType,
      'cache-control': 'private, no-store',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...headers,
    },
  });
}

/**
 * Answers depend on who asks, and a version may be deprecated any moment: kept by the client alone, and asked again each
 * time. No browser guesses a type.
 */
function baseHeaders(requestId: string): Record<string, string> {
  return {
    'cache-control': 'private, no-cache',
    vary: 'authorization, accept-encoding',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
}

/** Of the SHA-256 of the bytes, with its quotes. */
export async function strongEtag(body: string | Uint8Array): Promise<string> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `"${toBase64Url(digest)}"`;
}

/** @param header `If-None-Match` as it was sent. Compared weakly, as that header asks. */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Undefined where it was not sent. Any other text than digits becomes NaN, which the registry refuses with a pointer. */
export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

/** Reads as fast as it is asked; let go of when the client goes away. An error half-way breaks the answer off. */
export function bytesOf(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A request's body, piece by piece: never held whole. */
export async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    // Not awaited: a source that never answers its cancellation must not hold the answer back.
    reader.cancel().catch(() => undefined);
  }
}
