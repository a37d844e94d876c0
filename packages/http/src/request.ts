/** What every part of the interface knows of a request before it routes it: id, path, peer, token, and bounded bodies. */

import { AuthError } from '@postern/core-auth';
import { createUuid, peerKey } from '@postern/kernel';
import type { Clock, RandomSource } from '@postern/ports';
import { DEFAULT_BODY_LIMIT_BYTES, readBoundedBody } from './request-body.js';

/** @typeParam Info what the platform passes to `fetch` with a request: a socket, an environment. */
export interface HttpApp<Info> {
  /** Answers a request; never rejects. */
  fetch(request: Request, info: Info): Promise<Response>;
}

/** An application that owns a part of the paths. */
export interface HttpPart<Info> extends HttpApp<Info> {
  /** It answers these paths and everything below them. */
  readonly paths: readonly string[];
}

/** @typeParam Info what the platform passes to `fetch` with a request: a socket, an environment. */
export interface RequestOptions<Info> {
  /** The caller's IP address, which bound CIDRs are checked against; undefined where it is not known (TOKEN-5). */
  readonly peerAddress: (request: Request, info: Info) => string | undefined;
  /** Where request ids come from. Default: `crypto.randomUUID`. */
  readonly requestIds?: RandomSource | (() => string);
  /** Of JSON documents and forms; archives have the publisher's limits. Default 128 KiB. */
  readonly bodyLimitBytes?: number;
  /**
   * Reads a body where the platform has a cheaper way than the request's stream. Must enforce the limit before it keeps
   * bytes, call `onBytes` with what arrives, end with what that throws, and throw what `readBoundedBody` throws.
   */
  readonly readBody?: (
    request: Request,
    limitBytes: number,
    info: Info,
    onBytes: (bytes: number) => void,
  ) => Promise<Uint8Array>;
  /** Fires when the caller goes away, where the platform has a cheaper signal than the request's own. */
  readonly signal?: (request: Request, info: Info) => AbortSignal;
  /** Bounds the bytes of all bodies in flight: share one among all applications of a process. Default: one for this application. */
  readonly bodyBudget?: BodyBudget | undefined;
  /** Fills rate limit buckets and expires signed addresses. Default: the system clock. */
  readonly clock?: Clock;
  /** Called for every response with status 500. Never given a secret. */
  readonly onError?: (error: unknown, at: ErrorContext) => void;
}

export interface ErrorContext {
  readonly requestId: string;
  /** Undefined where the request matched no route. */
  readonly operation: string | undefined;
}

/** One request and the means to read it. */
export interface RequestContext {
  readonly request: Request;
  readonly requestId: string;
  /** As it was sent, escapes included. */
  readonly path: string;
  /** Without its `?`; empty if absent. */
  readonly query: string;
  /** Of the path after its first slash, decoded; undefined for an escape that is malformed or not UTF-8. */
  readonly segments: readonly string[] | undefined;
  readonly peerAddress: string | undefined;
  /** Fires when the caller goes away. A function: many requests never ask, and to make one is dear. */
  signal(): AbortSignal;
  /** The whole body. @throws AuthError `body_too_large`, `body_invalid` */
  readBody(limitBytes?: number): Promise<Uint8Array>;
}

/**
 * Makes an application of a function that answers requests. The function renders its own errors; one that escapes it is
 * reported and becomes an empty response with status 500.
 */
export function createApp<Info>(
  options: RequestOptions<Info>,
  answer: (context: RequestContext, info: Info) => Promise<Response>,
): HttpApp<Info> {
  const { bodyLimitBytes = DEFAULT_BODY_LIMIT_BYTES, bodyBudget = createBodyBudget() } = options;
  const readBody: NonNullable<typeof options.readBody> =
    options.readBody ?? ((request, limit, _info, onBytes) => readBoundedBody(request, limit, onBytes));
  const nextRequestId = requestIdSource(options.requestIds);
  return {
    async fetch(request, info) {
      const path = rawPath(request.url);
      const requestId = nextRequestId();
      let account: BodyAccount | undefined;
      try {
        const peerAddress = options.peerAddress(request, info);
        const context: RequestContext = {
          request,
          requestId,
          path,
          query: rawQuery(request.url),
          segments: decodeSegments(path.slice(1)),
          peerAddress,
          signal: () => options.signal?.(request, info) ?? request.signal,
          readBody(limitBytes = bodyLimitBytes) {
            const opened = account ?? bodyBudget.open(peerAddress);
            account = opened;
            return readBody(request, limitBytes, info, (bytes) => opened.add(bytes));
          },
        };
        const response = await answer(context, info);
        return request.method === 'HEAD' && response.body !== null ? new Response(null, response) : response;
      } catch (error) {
        options.onError?.(error, { requestId, operation: undefined });
        return new Response(null, { status: 500, headers: { 'x-request-id': requestId } });
      } finally {
        account?.close();
      }
    },
  };
}

/** Hands each request to the part that owns its path. @param notFound answers where none does. */
export function combineApps<Info>(
  options: RequestOptions<Info>,
  parts: readonly HttpPart<Info>[],
  notFound: (context: RequestContext) => Response,
): HttpApp<Info> {
  const nowhere = createApp(options, async (context) => notFound(context));
  return {
    fetch(request, info) {
      const path = rawPath(request.url);
      const owner = parts.find(({ paths }) => paths.some((each) => isAtOrBelow(path, each)));
      return (owner ?? nowhere).fetch(request, info);
    },
  };
}

function isAtOrBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

/** The token of `Authorization: Bearer` (WIRE-5; RFC 6750, 2.1). */
export function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

/** The raw path of an absolute URL: between authority and `?` or `#`, escapes as they are. */
function rawPath(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  if (start < 0) return '/';
  for (let at = start; at < url.length; at += 1) {
    const unit = url.charCodeAt(at);
    if (unit === 0x3f || unit === 0x23) return url.slice(start, at);
  }
  return url.slice(start);
}

/** The query text of an absolute URL, without its `?`; empty if absent. */
function rawQuery(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return '';
  const end = url.indexOf('#', start);
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end);
}

/** Splits on `/` first and decodes each piece after, so that an escaped slash never makes a segment. */
function decodeSegments(path: string): string[] | undefined {
  const segments = path.split('/');
  if (!path.includes('%')) return segments;
  try {
    return segments.map((segment) => decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}

/** Request ids tie a response, its audit event and the log together (WIRE-16): UUIDs (RFC 9562, version 4). */
function requestIdSource(source: RandomSource | (() => string) | undefined): () => string {
  if (source === undefined) return () => crypto.randomUUID();
  return typeof source === 'function' ? source : () => createUuid(source);
}

export interface BodyBudgetLimits {
  /** Of all peers. Default 16 MiB. */
  readonly totalBytes?: number | undefined;
  /** Of one peer (IPv6: one /64). Default 4 MiB. */
  readonly peerBytes?: number | undefined;
}

/** The bytes that one request holds. */
export interface BodyAccount {
  /** Counts bytes that arrived. @throws AuthError `server_busy` where they are too many: stop reading. */
  add(bytes: number): void;
  /** The request is answered. */
  close(): void;
}

export interface BodyBudget {
  open(peerAddress: string | undefined): BodyAccount;
}

/** @throws TypeError for a limit below 1. */
export function createBodyBudget(limits: BodyBudgetLimits = {}): BodyBudget {
  const { totalBytes = 16 * 1024 * 1024, peerBytes = 4 * 1024 * 1024 } = limits;
  for (const [name, bytes] of Object.entries({ totalBytes, peerBytes })) {
    if (!(bytes >= 1)) throw new TypeError(`${name}: must be at least 1`);
  }
  let total = 0;
  /** Only of peers that hold some now. */
  const byPeer = new Map<string, number>();

  return {
    open(peerAddress) {
      const peer = peerKey(peerAddress);
      let held = 0;
      return {
        add(bytes) {
          const ofPeer = (byPeer.get(peer) ?? 0) + bytes;
          if (total + bytes > totalBytes || ofPeer > peerBytes) {
            throw new AuthError('server_busy', 'too many request bodies at once; try again', { retryAfterSeconds: 1 });
          }
          held += bytes;
          total += bytes;
          byPeer.set(peer, ofPeer);
        },
        close() {
          if (held === 0) return;
          const left = (byPeer.get(peer) ?? 0) - held;
          total -= held;
          held = 0;
          if (left > 0) byPeer.set(peer, left);
          else byPeer.delete(peer);
        },
      };
    },
  };
}
