/** The auth method as one web-standard HTTP application: `(Request) => Promise<Response>` (WIRE-1, WIRE-2, TOKEN-6). */
import type { AuthMethod, RefusedCall, Verb } from '@postern/core-auth';
import { AuthError, isAuthError } from '@postern/core-auth';
import type { Clock, RandomSource } from '@postern/ports';
import { Hono } from 'hono';
import {
  emptyNotFound,
  errorResponse,
  jsonResponse,
  outcomeResponse,
  rateLimited,
  unsupportedOperation,
  unsupportedPath,
} from './answer.js';
import { callerToken } from './caller-token.js';
import type { HttpApp } from './fetch-app.js';
import { type HealthCheck, healthResponse } from './health.js';
import { createLoginRateLimit, type LoginRate } from './login-rate.js';
import { createOpenApiDocument } from './openapi/document.js';
import type { RegistryPage } from './page/page-options.js';
import type { RegistryHttpOptions } from './registry/options.js';
import { createRegistryApp, REGISTRY_PATHS } from './registry/registry-app.js';
import { DEFAULT_BODY_LIMIT_BYTES, readBoundedBody } from './request-body.js';
import { asksForList, fieldsOfBody, fieldsOfQuery } from './request-fields.js';
import { requestIdSource } from './request-id.js';
import { decodeSegments, rawPath, rawQuery } from './request-path.js';
import { createRouteTable } from './route-table.js';
import { membersToDomain, type ProfileName, WIRE_PROFILES } from './wire-profile.js';

/** @typeParam Info what the surroundings hand to `fetch` with a request: a socket, an environment. */
export interface HttpAppOptions<Info> {
  readonly method: AuthMethod;
  /** Names on the wire. Default `neutral`. */
  readonly profile?: ProfileName;
  /** Path below `/v1/` where the method answers. Default: where the method says it hangs. */
  readonly mountPath?: string;
  /** The caller's IP address, which bound CIDRs are checked against; undefined where it is not known (TOKEN-5). */
  readonly peerAddress: (request: Request, info: Info) => string | undefined;
  /** Where request ids come from. Default: `crypto.randomUUID`. */
  readonly requestIds?: RandomSource | (() => string);
  /** Default 1 MiB. */
  readonly bodyLimitBytes?: number;
  /**
   * Reads a body where the surroundings have a cheaper way than the request's stream. Must hold the limit before it
   * keeps bytes, and throw what `readBoundedBody` throws.
   */
  readonly readBody?: (request: Request, limitBytes: number, info: Info) => Promise<Uint8Array>;
  /**
   * Told when the bytes of a module's archive are about to be read, from a caller who may publish: a body that may take
   * longer than others are let.
   */
  readonly onUpload?: (request: Request, info: Info) => void;
  readonly health: HealthCheck;
  /** How often a peer may try to log in; without it, as often as it likes. `{}` takes the defaults. */
  readonly loginRate?: LoginRate;
  /** The registry beside the auth method, below `/api`; nothing of it is there without. */
  readonly registry?: RegistryHttpOptions;
  /** The registry's page, where it hangs; made by `createRegistryPage`. */
  readonly registryPage?: RegistryPage<Info>;
  /** Fills the buckets of rates and judges addresses of archives. Default: the machine's. */
  readonly clock?: Clock;
  /** Of the service, told in its OpenAPI document. Default `0.0.0`. */
  readonly version?: string;
  /** Told of every answer with status 500: a defect of ours. Never given a secret. */
  readonly onError?: (
    error: unknown,
    at: { readonly requestId: string; readonly operation: string | undefined },
  ) => void;
}

/** POST and PUT are the same; `GET` becomes `list` by its query. */
const VERBS: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ['POST', 'write'],
  ['PUT', 'write'],
  ['GET', 'read'],
  ['LIST', 'list'],
  ['DELETE', 'delete'],
]);

/** Judged and refused, as the audit trail tells it (AUDIT-4). */
const TOO_MANY: RefusedCall['refusal'] = { kind: 'denied', code: 'rate_limited' };

const METHODS: Readonly<Record<Verb, readonly string[]>> = {
  write: ['POST', 'PUT'],
  read: ['GET'],
  list: ['LIST', 'GET'],
  delete: ['DELETE'],
};

/**
 * Makes the application: a route for every operation of the catalogue, its aliases, `/v1/sys/health` and
 * `/v1/sys/openapi.json`.
 *
 * @example
 * ```ts
 * const app = createHttpApp({ method, peerAddress: (request, socket: Socket) => socket.remoteAddress, health });
 * const response = await app.fetch(request, socket);
 * ```
 * @throws TypeError when routes of the catalogue collide, as those of a method mounted at `auth/token` do.
 */
export function createHttpApp<Info = undefined>(options: HttpAppOptions<Info>): HttpApp<Info> {
  const { method, health, bodyLimitBytes = DEFAULT_BODY_LIMIT_BYTES } = options;
  const profile = WIRE_PROFILES[options.profile ?? 'neutral'];
  const readBody = options.readBody ?? ((request, limit) => readBoundedBody(request, limit));
  const mountPath = options.mountPath ?? method.mountPath;
  const table = createRouteTable(method.operations, mountPath);
  const clock = options.clock ?? { now: () => Date.now() };
  const loginRate = options.loginRate && createLoginRateLimit(clock, options.loginRate);
  const nextRequestId = requestIdSource(options.requestIds);

  /** What a failure is answered and reported with. */
  function failed(error: unknown, requestId: string, operation: string | undefined): Response {
    if (!isAuthError(error) || error.kind === 'internal') options.onError?.(error, { requestId, operation });
    return errorResponse(error, requestId, profile);
  }

  async function answer(request: Request, info: Info): Promise<Response> {
    const requestId = nextRequestId();
    let operation: string | undefined;
    try {
      const segments = decodeSegments(rawPath(request.url).slice('/v1/'.length));
      if (segments === undefined) throw new AuthError('body_invalid', 'a percent escape in the path is malformed');
      const query = rawQuery(request.url);
      const named = VERBS.get(request.method);
      const verb = named === 'read' && asksForList(query) ? 'list' : named;
      if (verb === 'write' && segments.at(-1) === '') {
        throw new AuthError('body_invalid', 'a path that ends in a slash cannot be written');
      }
      const token = callerToken(request.headers, profile);
      const route = table.match(segments);
      if (route === undefined) {
        if (token === undefined && !table.isMounted(segments)) {
          throw new AuthError('permission_denied', 'no token was sent');
        }
        return unsupportedPath(requestId);
      }
      operation = verb === undefined ? undefined : route.operations.get(verb);
      if (operation === undefined) return unsupportedOperation(requestId, allowed(route.operations));
      const peerAddress = options.peerAddress(request, info);
      const call = { operation, params: route.params, requestId, peerAddress, signal: request.signal };
      // Before the body is read: what a peer may not do shall cost nothing.
      const tooMany = operation === 'login' ? loginRate?.take(peerAddress) : undefined;
      if (tooMany !== undefined) {
        const { retryAfterSeconds, untold } = tooMany;
        const details = untold === undefined || untold === 0 ? {} : { details: { untold: String(untold) } };
        if (untold !== undefined) await method.recordRefusal({ ...call, refusal: TOO_MANY, ...details });
        return rateLimited(requestId, retryAfterSeconds);
      }
      let sent: Record<string, unknown>;
      try {
        sent =
          verb === 'write'
            ? fieldsOfBody(await readBody(request, bodyLimitBytes, info), request.headers.get('content-type'))
            : fieldsOfQuery(query);
      } catch (error) {
        const refusal = isAuthError(error) ? error : ({ kind: 'internal', code: 'internal' } as const);
        await method.recordRefusal({ ...call, refusal });
        throw error;
      }
      const { serverIdHeader } = profile;
      const outcome = await method.call({ ...call, serverIdHeader, fields: membersToDomain(profile, sent), token });
      return outcomeResponse(outcome, requestId, profile);
    } catch (error) {
      return failed(error, requestId, operation);
    }
  }

  const app = new Hono<{ Bindings: Info & object }>();
  app.on(['GET', 'HEAD'], '/v1/sys/health', async () => {
    const requestId = nextRequestId();
    try {
      return healthResponse(await health(), requestId);
    } catch (error) {
      return failed(error, requestId, 'sys.health');
    }
  });
  app.all('/v1/sys/health', () => unsupportedOperation(nextRequestId(), ['GET', 'HEAD']));
  let openApi: unknown;
  app.on(['GET', 'HEAD'], '/v1/sys/openapi.json', () => {
    const { operations } = method;
    const { version = '0.0.0', registry } = options;
    const withRegistry = registry !== undefined;
    openApi ??= createOpenApiDocument({ operations, mountPath, profile, version, withRegistry });
    return jsonResponse(200, nextRequestId(), openApi);
  });
  app.all('/v1/sys/openapi.json', () => unsupportedOperation(nextRequestId(), ['GET', 'HEAD']));
  if (options.registry !== undefined) {
    const registry = createRegistryApp<Info>({ ...options, ...options.registry, requestIds: nextRequestId });
    for (const path of REGISTRY_PATHS) app.all(path, (context) => registry.fetch(context.req.raw, context.env));
  }
  const { registryPage } = options;
  if (registryPage !== undefined) {
    const { path } = registryPage;
    for (const each of [path, `${path}/*`]) app.all(each, ({ req, env }) => registryPage.fetch(req.raw, env));
  }
  app.all('/v1/*', (context) => answer(context.req.raw, context.env));
  app.notFound(() => emptyNotFound(nextRequestId()));
  app.onError((error) => failed(error, nextRequestId(), undefined));

  return {
    // Hono hands `info` on as it is; its type wants an object because that is what platforms give.
    fetch: async (request, info) => app.fetch(request, info as Info & object),
  };
}

function allowed(operations: ReadonlyMap<Verb, string>): readonly string[] {
  return [...new Set([...operations.keys()].flatMap((verb) => METHODS[verb]))];
}
