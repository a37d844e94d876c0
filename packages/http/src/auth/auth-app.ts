/** The auth method as one web-standard HTTP application: `(Request) => Promise<Response>` (WIRE-1, WIRE-2, TOKEN-6). */
import { type AuthDoor, AuthError, isAuthError, type RefusedCall } from '@postern/core-auth';
import { AUTH_SHAPES, checkOptions } from '../check-options.js';
import { createRateGate, type RateOptions, retryAfterSeconds } from '../rate.js';
import {
  bearerToken,
  createApp,
  type ErrorContext,
  type HttpPart,
  type RequestContext,
  type RequestOptions,
} from '../request.js';
import {
  errorResponse,
  type HealthCheck,
  healthResponse,
  jsonResponse,
  jsonTextResponse,
  outcomeResponse,
  type ReadinessCheck,
  rateLimited,
  refusedHeader,
  unsupportedOperation,
  unsupportedPath,
} from './answer.js';
import { allowedMethods, createAuthRoutes } from './auth-routes.js';
import type { DocumentPart } from './openapi/document.js';
import { asksForHelp, helpOn, serverAnswers } from './vault-questions.js';
import {
  asksForList,
  fieldsOfBody,
  fieldsOfQuery,
  membersToDomain,
  type ProfileName,
  unsupportedHeader,
  WIRE_PROFILES,
} from './wire-profile.js';

/** @typeParam Info what the platform passes to `fetch` with a request: a socket, an environment. */
export interface AuthAppOptions<Info> extends RequestOptions<Info>, RateOptions {
  readonly method: AuthDoor;
  /** Names on the wire. Default `neutral`. */
  readonly profile?: ProfileName;
  /** Path below `/v1/` where the method answers. Default: the method's own `mountPath`. */
  readonly mountPath?: string;
  readonly health: HealthCheck;
  /** Writes to the storage: for `/v1/sys/health?ready`. Default: what `health` reports. */
  readonly readiness?: ReadinessCheck;
  /**
   * Called for every call that failed for something that the method depends on: storage, cloud, audit, key wrapper, clock. In an outage
   * that is every call.
   */
  readonly onUnavailable?: (error: AuthError, at: ErrorContext) => void;
  /** Of the service, for its OpenAPI document. Default `0.0.0`. */
  readonly version?: string;
}

/** Denied, as the audit log records it (AUDIT-4). */
const TOO_MANY: RefusedCall['refusal'] = { kind: 'denied', code: 'rate_limited' };

/** What a route leads to: an operation of the method, by its id, or a document of the service. */
type Endpoint = string | ((context: RequestContext) => Promise<Response>);

/**
 * Serves every operation of the catalogue, its aliases, `/v1/sys/health` and `/v1/sys/openapi.json`; in the vault profile what Vault's
 * clients ask of the server itself, too.
 *
 * @example
 * ```ts
 * const app = createAuthApp({ method, peerAddress: (request, socket: Socket) => socket.remoteAddress, health });
 * const response = await app.fetch(request, socket);
 * ```
 * @param furtherDocument paths and schemas that the OpenAPI document describes as well.
 * @throws TypeError where an option is missing or lacks a method, where the mount path is `auth/token`, `sys` or `policies`, or below one
 *   of them, and when routes of the catalogue collide.
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
  const rates = createRateGate(clock, options);

  /** Loaded with the first request for it: a login needs no JSON Schema. */
  const openApi = once(async () => {
    const { createOpenApiDocument } = await import('./openapi/document.js');
    const { version = '0.0.0' } = options;
    const further = await furtherDocument?.();
    // As text: it is large, and asked for by anybody.
    return JSON.stringify(
      createOpenApiDocument({ operations: method.operations, mountPath, profile, version, further }),
    );
  });

  const answersOfVault = (): Readonly<Record<string, Endpoint>> =>
    Object.fromEntries(
      [...serverAnswers(options.version ?? '0.0.0')].map(([path, body]) => [
        path,
        async ({ requestId }: RequestContext) => jsonResponse(200, requestId, body),
      ]),
    );
  const helpOf =
    (methods: ReadonlyMap<string, Endpoint>): Endpoint =>
    async ({ requestId, path }) => {
      const asked = new Set(methods.values());
      const known = method.operations.filter(({ id }) => asked.has(id));
      return jsonResponse(200, requestId, helpOn(path, known));
    };
  const documents: Readonly<Record<string, Endpoint>> = {
    '/v1/sys/health': async ({ requestId, query }) => {
      const asksReady = query.split('&').some((part) => /^ready(?:=|$)/.test(part));
      const readiness = asksReady ? await options.readiness?.() : undefined;
      return healthResponse(await health(), requestId, readiness);
    },
    '/v1/sys/openapi.json': async ({ requestId }) => jsonTextResponse(200, requestId, await openApi()),
    ...(profile.name === 'vault' ? answersOfVault() : {}),
  };
  const routes = createAuthRoutes<Endpoint>(
    method.operations,
    mountPath,
    profile,
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
      const header = unsupportedHeader(profile, request.headers);
      if (header !== undefined) return refusedHeader(requestId, header);
      if (segments === undefined) throw new AuthError('body_invalid', 'malformed percent escape in the path');
      const route = routes.match(segments);
      let endpoint = route?.methods.get(request.method);
      if (route !== undefined && request.method === 'GET' && profile.name === 'vault' && asksForHelp(context.query)) {
        endpoint = helpOf(route.methods);
      }
      if (typeof endpoint === 'function') {
        operation = path.slice('/v1/'.length).replace('/', '.');
        const tooMany = await rates.takeOpen(context.peerAddress);
        return tooMany === undefined ? await endpoint(context) : rateLimited(requestId, retryAfterSeconds(tooMany));
      }
      if (request.method === 'GET' && asksForList(context.query)) endpoint = route?.methods.get('LIST');
      const isWrite = request.method === 'POST' || request.method === 'PUT';
      if (isWrite && segments.at(-1) === '') {
        throw new AuthError('body_invalid', 'cannot write to a path that ends in a slash');
      }
      if (typeof endpoint !== 'string') {
        const verdict = await rates.calls.take({ token: undefined, peerAddress: context.peerAddress });
        if (verdict?.allowed === false) return rateLimited(requestId, retryAfterSeconds(verdict));
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
      else if (error.kind === 'unavailable' || error.kind === 'misconfigured') {
        options.onUnavailable?.(error, { requestId, operation });
      }
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
    const signal = context.signal();
    const caller = { token: tokenOf(request), peerAddress };
    const isLogin = operation === 'login';
    // Before token and body are looked at: a rejected attempt must cost nothing (THREAT-35).
    const verdict = isLogin ? await takeAttempt(peerAddress) : await rates.calls.take(caller);
    if (verdict?.allowed === false) {
      await method.recordRefusal({ operation, params, requestId, peerAddress, signal, refusal: TOO_MANY });
      return rateLimited(requestId, retryAfterSeconds(verdict));
    }
    // Called by the method once token and right are known (WIRE-20); what it throws is an event of the call.
    const fields = async () => {
      if (!isWrite) return membersToDomain(profile, fieldsOfQuery(context.query));
      return membersToDomain(profile, fieldsOfBody(await context.readBody(), request.headers.get('content-type')));
    };
    const { serverIdHeader } = profile;
    // Of a query, clients add members of their own.
    const unknownFields = isWrite ? profile.unknownFields : 'ignore';
    try {
      const outcome = await method.handle({
        operation,
        params,
        requestId,
        peerAddress,
        signal,
        serverIdHeader,
        fields,
        unknownFields,
        token: caller.token,
      });
      await (isLogin ? rates.returnProof(peerAddress) : rates.calls.recordResult(caller, true));
      return outcomeResponse(outcome, requestId, profile);
    } catch (error) {
      if (isLogin && !isProofRejected(error)) await rates.returnProof(peerAddress);
      const isKnown = isLogin ? undefined : isTokenAccepted(error);
      if (isKnown !== undefined) await rates.calls.recordResult(caller, isKnown);
      throw error;
    }
  }

  /** Of its logins, then of its proofs. */
  function takeAttempt(peerAddress: string | undefined) {
    const verdict = rates.takeLogin(peerAddress);
    if (verdict instanceof Promise) return verdict.then((refused) => refused ?? rates.takeProof(peerAddress));
    return verdict ?? rates.takeProof(peerAddress);
  }

  /** The profile's header wins over `Authorization: Bearer` where both are sent (WIRE-5). */
  function tokenOf({ headers }: Request): string | undefined {
    return headers.get(profile.tokenHeader) || bearerToken(headers);
  }

  return { paths: ['/v1'], ...createApp(options, answer) };
}

/** Made-up evidence: a question to STS may have been spent on it. */
function isProofRejected(error: unknown): boolean {
  return isAuthError(error) && (error.code === 'caller_identity_refused' || error.code === 'evidence_unverified');
}

/** Undefined where the error says nothing of the token: it may come before the token was looked at. */
function isTokenAccepted(error: unknown): boolean | undefined {
  if (!isAuthError(error)) return undefined;
  if (error.code === 'permission_denied') return error.reason === 'policy_does_not_grant';
  return error.kind === 'invalid' || error.kind === 'denied' ? true : undefined;
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
