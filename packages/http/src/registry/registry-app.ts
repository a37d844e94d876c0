/**
 * The registry as one web-standard HTTP application (REGAPI-1, REGAPI-8, REGAPI-7, MODULE-1): routes, tokens, rates, problems,
 * entity tags. It stands alone, or below `createHttpApp` beside the auth method.
 */
import type { RegistryCall } from '@postern/core-registry';
import { Hono } from 'hono';
import { bearerToken } from '../bearer-token.js';
import type { HttpApp } from '../fetch-app.js';
import { DEFAULT_BODY_LIMIT_BYTES, readBoundedBody } from '../request-body.js';
import { requestIdSource } from '../request-id.js';
import { decodeSegments, rawPath, rawQuery } from '../request-path.js';
import { piecesOf } from './byte-stream.js';
import { createCallRateLimit, type RateVerdict } from './call-rate.js';
import { acceptsJsonApi, type Face, JSON_API, JSON_API_FACE, PLAIN_FACE } from './faces.js';
import type { RegistryAppOptions } from './options.js';
import { NOT_FOUND, type Problem, ProblemError, problemOf, problemOfError } from './problem.js';
import { MANAGED_PREFIX, MODULES_PATH, PING_PATH } from './registry-paths.js';
import { createRegistryRoutes } from './registry-routes.js';
import { problemResponse, respond } from './respond.js';
import { allowedMethods, createRouteFinder, handlerOf } from './routes.js';

/** Paths that the registry answers; everything below them is its own. */
export const REGISTRY_PATHS = [`${MANAGED_PREFIX}/*`, '/api/registry/*', '/.well-known/terraform.json'] as const;

/**
 * Makes the application of the registry alone.
 *
 * @example
 * ```ts
 * const urlSigner = createUrlSigner([key]);
 * const app = createRegistryApp({ registry, urlSigner, peerAddress: (request, socket: Socket) => socket.remoteAddress });
 * const response = await app.fetch(request, socket);
 * ```
 */
export function createRegistryApp<Info = undefined>(options: RegistryAppOptions<Info>): HttpApp<Info> {
  const { bodyLimitBytes = DEFAULT_BODY_LIMIT_BYTES, onError } = options;
  const clock = options.clock ?? { now: () => Date.now() };
  const readBody = options.readBody ?? ((request, limit) => readBoundedBody(request, limit));
  const nextRequestId = requestIdSource(options.requestIds);
  const find = createRouteFinder(createRegistryRoutes(options, clock));
  const rate = options.rate && createCallRateLimit(clock, options.rate);

  function failed(error: unknown, face: Face, requestId: string, operation: string): Response {
    const problem = problemOfError(error);
    if (problem.status === 500)
      onError?.(error instanceof ProblemError ? error.cause : error, { requestId, operation });
    return problemResponse(problem, face, requestId);
  }

  /** Begins where the caller is known and may publish: nobody else's body is asked for. */
  async function* upload(request: Request, info: Info): AsyncGenerator<Uint8Array, void, undefined> {
    options.onUpload?.(request, info);
    yield* piecesOf(request.body);
  }

  async function answer(request: Request, info: Info): Promise<Response> {
    const requestId = nextRequestId();
    const path = rawPath(request.url);
    const face = path.startsWith(`${MANAGED_PREFIX}/`) ? JSON_API_FACE : PLAIN_FACE;
    const refuse = (problem: Problem) => problemResponse(problem, face, requestId);
    let operation = request.method;
    try {
      const segments = decodeSegments(path.slice(1));
      const found = segments && find(segments);
      if (found === undefined) return refuse(NOT_FOUND);
      const { route, params } = found;
      operation = `${request.method} ${route.path}`;
      const handler = handlerOf(route, request.method);
      if (handler === undefined) {
        const allow = allowedMethods(route).join(', ');
        return refuse(problemOf(405, `the path answers to ${allow}`, { headers: { allow } }));
      }
      if (face === JSON_API_FACE && !acceptsJsonApi(request.headers.get('accept'))) {
        return refuse(problemOf(406, `what is answered is ${JSON_API} without parameters`));
      }
      // This header and no other (REGAPI-8).
      const token = bearerToken(request.headers);
      const peerAddress = options.peerAddress(request, info);
      const call: RegistryCall = { token, requestId, peerAddress, signal: request.signal };
      const verdict = route.isOpen === true ? undefined : rate?.take(call);
      const headers = verdict === undefined ? {} : rateHeaders(rate?.limit ?? 0, verdict);
      if (verdict?.allowed === false) {
        const retryAfterSeconds = Math.max(1, Math.ceil(verdict.resetSeconds));
        return refuse(problemOf(429, 'too many requests', { retryAfterSeconds, headers }));
      }
      try {
        const made = await handler({
          request,
          params,
          query: new URLSearchParams(rawQuery(request.url)),
          call,
          face,
          readBody: () => readBody(request, bodyLimitBytes, info),
          streamBody: () => upload(request, info),
        });
        if (route.isOpen !== true) rate?.learn(call, true);
        return await respond(made, request, face, requestId, headers);
      } catch (error) {
        const problem = problemOfError(error);
        if (problem.status === 500) throw error;
        // Where nobody could find out who calls, nothing is learned.
        if (route.isOpen !== true && problem.status < 500) rate?.learn(call, problem.status !== 401);
        return refuse({ ...problem, headers: { ...headers, ...problem.headers } });
      }
    } catch (error) {
      return failed(error, face, requestId, operation);
    }
  }

  const app = new Hono<{ Bindings: Info & object }>();
  app.on(['GET', 'HEAD'], '/.well-known/terraform.json', (context) => {
    const body = JSON.stringify({ 'modules.v1': `${MODULES_PATH}/` });
    return respond({ status: 200, body }, context.req.raw, PLAIN_FACE, nextRequestId(), {});
  });
  app.on(['GET', 'HEAD'], PING_PATH, (context) => {
    const headers: Record<string, string> = rate === undefined ? {} : { 'x-ratelimit-limit': String(rate.limit) };
    return respond({ status: 204, body: null, headers }, context.req.raw, JSON_API_FACE, nextRequestId(), {});
  });
  const readsOnly = (face: Face) => () => {
    const allow = 'GET, HEAD';
    return problemResponse(
      problemOf(405, `the path answers to ${allow}`, { headers: { allow } }),
      face,
      nextRequestId(),
    );
  };
  app.all('/.well-known/terraform.json', readsOnly(PLAIN_FACE));
  app.all(PING_PATH, readsOnly(JSON_API_FACE));
  app.all('*', (context) => answer(context.req.raw, context.env));
  app.onError((error) => failed(error, PLAIN_FACE, nextRequestId(), 'registry'));

  return {
    // Hono hands `info` on as it is; its type wants an object because that is what platforms give.
    fetch: async (request, info) => app.fetch(request, info as Info & object),
  };
}

/** As clients of the platform read them: the rate a second, and seconds until there is room (REGAPI-10). */
function rateHeaders(limit: number, { remaining, resetSeconds }: RateVerdict): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': resetSeconds.toFixed(3),
  };
}
