/** The auth method as one web-standard HTTP application: `(Request) => Promise<Response>` (WIRE-1, WIRE-2, TOKEN-6). */
import { type AuthDoor, AuthError, isAuthError, type RefusedCall } from '@postern/core-auth';
import { AUTH_SHAPES, checkOptions } from '../check-options.js';
import { createLoginRateLimit, type LoginRate } from '../rate.js';
import { bearerToken, createApp, type HttpPart, type RequestContext, type RequestOptions } from '../request.js';
import {
  errorResponse,
  type HealthCheck,
  healthResponse,
  jsonResponse,
  outcomeResponse,
  rateLimited,
  unsupportedOperation,
  unsupportedPath,
} from './answer.js';
import { allowedMethods, createAuthRoutes } from './auth-routes.js';
import type { DocumentPart } from './openapi/document.js';
import { asksForList, fieldsOfBody, fieldsOfQuery } from './request-fields.js';
import { membersToDomain, type ProfileName, WIRE_PROFILES } from './wire-profile.js';

/** @typeParam Info what the platform passes to `fetch` with a request: a socket, an environment. */
export interface AuthAppOptions<Info> extends RequestOptions<Info> {
  readonly method: AuthDoor;
  /** Names on the wire. Default `neutral`. */
  readonly profile?: ProfileName;
  /** Path below `/v1/` where the method answers. Default: the method's own `mountPath`. */
  readonly mountPath?: string;
  readonly health: HealthCheck;
  /** Limits the logins of a peer; `{}` takes the defaults. Default: no limit. */
  readonly loginRate?: LoginRate;
  /** Of the service, for its OpenAPI document. Default `0.0.0`. */
  readonly version?: string;
}

/** Denied, as the audit log records it (AUDIT-4). */
const TOO_MANY: RefusedCall['refusal'] = { kind: 'denied', code: 'rate_limited' };

/** What a route leads to: an operation of the method, by its id, or a document of the service. */
type Endpoint = string | ((context: RequestContext) => Promise<Response>);

/**
 * Serves every operation of the catalogue, its aliases, `/v1/sys/health` and `/v1/sys/openapi.json`.
 *
 * @example
 * ```ts
 * const app = createAuthApp({ method, peerAddress: (request, socket: Socket) => socket.remoteAddress, health });
 * const response = await app.fetch(request, socket);
 * ```
 * @param furtherDocument paths and schemas that the OpenAPI document describes as well.
 * @throws TypeError where an option is missing or lacks a method, and when routes of the catalogue collide, as those of a method mounted at `auth/token` do.
 */
export function createAuthApp<Info = undefined>(
  options: AuthAppOptions<Info>,
  furtherDocument?: () => Promise<DocumentPart>,
): HttpPart<Info> {
  checkOptions('createAuthApp', options, AUTH_SHAPES);
  const { method, health } = options;
  const profile = WIRE_PROFILES[options.profile ?? 'neutral'];
  const mountPath = options.mountPath ?? method.mountPath;
  const clock = options.clock ?? { now: () => Date.now() };
  const loginRate = options.loginRate && createLoginRateLimit(clock, options.loginRate);

  /** Loaded with the first request for it: a login needs no JSON Schema. */
  const openApi = once(async () => {
    const { createOpenApiDocument } = await import('./openapi/document.js');
    const { version = '0.0.0' } = options;
    const further = await furtherDocument?.();
    return createOpenApiDocument({ operations: method.operations, mountPath, profile, version, further });
  });

  const documents: Readonly<Record<string, Endpoint>> = {
    '/v1/sys/health': async ({ requestId }) => healthResponse(await health(), requestId),
    '/v1/sys/openapi.json': async ({ requestId }) => jsonResponse(200, requestId, await openApi()),
  };
  const routes = createAuthRoutes<Endpoint>(
    method.operations,
    mountPath,
    ({ id }) => id,
    Object.entries(documents).flatMap(([path, value]) =>
      ['GET', 'HEAD'].map((verb) => ({ method: verb, path, value })),
    ),
  );

  async function answer(context: RequestContext): Promise<Response> {
    const { requestId, path } = context;
    let operation: string | undefined;
    try {
      const { request, segments } = context;
      if (segments === undefined) throw new AuthError('body_invalid', 'malformed percent escape in the path');
      const route = routes.match(segments);
      let endpoint = route?.methods.get(request.method);
      if (typeof endpoint === 'function') {
        operation = path.slice('/v1/'.length).replace('/', '.');
        return await endpoint(context);
      }
      if (request.method === 'GET' && asksForList(context.query)) endpoint = route?.methods.get('LIST');
      const isWrite = request.method === 'POST' || request.method === 'PUT';
      if (isWrite && segments.at(-1) === '') {
        throw new AuthError('body_invalid', 'cannot write to a path that ends in a slash');
      }
      if (route === undefined) {
        if (tokenOf(request) === undefined && !routes.isMounted(segments)) {
          throw new AuthError('permission_denied', 'missing token');
        }
        return unsupportedPath(requestId);
      }
      if (typeof endpoint !== 'string') return unsupportedOperation(requestId, allowedMethods(route.methods));
      operation = endpoint;
      return await call(context, operation, route.params, isWrite);
    } catch (error) {
      if (!isAuthError(error) || error.kind === 'internal') options.onError?.(error, { requestId, operation });
      return errorResponse(error, requestId, profile);
    }
  }

  async function call(
    context: RequestContext,
    operation: string,
    params: Readonly<Record<string, string>>,
    isWrite: boolean,
  ): Promise<Response> {
    const { request, requestId, peerAddress } = context;
    const made = { operation, params, requestId, peerAddress, signal: request.signal };
    // Before the body is read: a rejected attempt must cost nothing (THREAT-35).
    const tooMany = operation === 'login' ? loginRate?.take(peerAddress) : undefined;
    if (tooMany !== undefined) {
      const { retryAfterSeconds, suppressedCount } = tooMany;
      if (suppressedCount !== undefined) {
        const details = suppressedCount === 0 ? {} : { details: { untold: String(suppressedCount) } };
        await method.recordRefusal({ ...made, refusal: TOO_MANY, ...details });
      }
      return rateLimited(requestId, retryAfterSeconds);
    }
    // Called by the method once token and right are known (WIRE-20); what it throws is an event of the call.
    const fields = async () => {
      if (!isWrite) return membersToDomain(profile, fieldsOfQuery(context.query));
      return membersToDomain(profile, fieldsOfBody(await context.readBody(), request.headers.get('content-type')));
    };
    const { serverIdHeader } = profile;
    // Of a query, clients add members of their own.
    const unknownFields = isWrite ? profile.unknownFields : 'ignore';
    const outcome = await method.handle({ ...made, serverIdHeader, fields, unknownFields, token: tokenOf(request) });
    return outcomeResponse(outcome, requestId, profile);
  }

  /** The profile's header wins over `Authorization: Bearer` where both are sent (WIRE-5). */
  function tokenOf({ headers }: Request): string | undefined {
    return headers.get(profile.tokenHeader) || bearerToken(headers);
  }

  return { paths: ['/v1'], ...createApp(options, answer) };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
