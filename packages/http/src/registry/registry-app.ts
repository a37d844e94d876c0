/**
 * The registry as one web-standard HTTP application (REGAPI-1, REGAPI-8, REGAPI-7, MODULE-1): routes, tokens, rates, problems,
 * entity tags. It stands alone, or below `createHttpApp` beside the auth method.
 */
import type { RegistryCall } from '@postern/core-registry';
import type { Clock, RateLimits, RateVerdict } from '@postern/ports';
import { checkOptions, REGISTRY_SHAPES } from '../check-options.js';
import { createCompress } from '../compress.js';
import { checkRate, createCallRateLimit, createMemoryRateLimiter, type Rate, retryAfterSeconds } from '../rate.js';
import { bearerToken, createApp, type HttpPart, type RequestContext } from '../request.js';
import { createRouter } from '../router.js';
import { createArchiveAddresses } from './archive-address.js';
import { createDownloads } from './downloads.js';
import { DISCOVERY_PATH, type EndpointName, endpoints, MANAGED_PREFIX, MODULES_PATH } from './endpoints.js';
import { type Handler, json, piecesOf, problemResponse, respond } from './exchange.js';
import { lists } from './lists.js';
import type { RegistryAppOptions, RegistryHttpOptions } from './options.js';
import { createPublish, deleteVersion } from './publishing.js';
import { createReads } from './reads.js';
import {
  acceptsJsonApi,
  JSON_API,
  JSON_API_REPRESENTATION,
  NOT_FOUND,
  PLAIN_REPRESENTATION,
  type Problem,
  ProblemError,
  problemOf,
  problemOfError,
} from './representation.js';
import { deprecateRange, patchVersion } from './version-commands.js';

/** The registry answers these paths and everything below them. */
const REGISTRY_PATHS = [MANAGED_PREFIX, '/api/registry', DISCOVERY_PATH];

/**
 * Makes the application of the registry alone.
 *
 * @throws TypeError where an option is missing or lacks a method.
 * @example
 * ```ts
 * const urlSigner = createUrlSigner([key]);
 * const app = createRegistryApp({ registry, urlSigner, peerAddress: (request, socket: Socket) => socket.remoteAddress });
 * const response = await app.fetch(request, socket);
 * ```
 */
export function createRegistryApp<Info = undefined>(options: RegistryAppOptions<Info>): HttpPart<Info> {
  checkOptions('createRegistryApp', options, REGISTRY_SHAPES);
  const { onError } = options;
  const clock = options.clock ?? { now: () => Date.now() };
  const limits = options.rate && limitsOf(options.rate);
  const { rateLimiter = createMemoryRateLimiter(clock) } = options;
  const rate = limits && createCallRateLimit('registry', rateLimiter, limits);
  const compress = createCompress();
  const handlers = createHandlers(options, clock, limits?.token.perSecond);
  // `HEAD` is answered where `GET` is.
  const routes = endpoints().flatMap(({ name, method, path, isOpen = false }) => {
    const value = { path, handler: handlers[name], isOpen };
    return (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((each) => ({ method: each, path, value }));
  });
  // Discovery names this path with a slash at its end.
  const listed = routes.filter(({ path }) => path === MODULES_PATH);
  const router = createRouter([...routes, ...listed.map((route) => ({ ...route, path: `${MODULES_PATH}/` }))]);

  /** Begins where the caller is known and may publish: no other caller's body is read. */
  async function* upload(request: Request, info: Info): AsyncGenerator<Uint8Array, void, undefined> {
    options.onUpload?.(request, info);
    yield* piecesOf(request.body);
  }

  async function answer(context: RequestContext, info: Info): Promise<Response> {
    const { request, requestId, path, segments } = context;
    const representation = path.startsWith(`${MANAGED_PREFIX}/`) ? JSON_API_REPRESENTATION : PLAIN_REPRESENTATION;
    const refuse = (problem: Problem) => problemResponse(problem, representation, requestId);
    let operation = request.method;
    try {
      const found = segments && router.match(segments);
      if (found === undefined) return refuse(NOT_FOUND);
      const { params, methods } = found;
      const endpoint = methods.get(request.method);
      if (endpoint === undefined) {
        const allow = [...methods.keys()].join(', ');
        return refuse(problemOf(405, `method not allowed; this path supports ${allow}`, { headers: { allow } }));
      }
      const { handler, isOpen } = endpoint;
      operation = `${request.method} ${endpoint.path}`;
      if (!isOpen && representation === JSON_API_REPRESENTATION && !acceptsJsonApi(request.headers.get('accept'))) {
        return refuse(problemOf(406, `the response is ${JSON_API} without parameters; accept that`));
      }
      // This header and no other (REGAPI-8).
      const token = bearerToken(request.headers);
      const call: RegistryCall = { token, requestId, peerAddress: context.peerAddress, signal: context.signal() };
      const verdict = isOpen ? undefined : await rate?.take(call);
      const headers = verdict === undefined ? {} : rateHeaders(limits?.token.perSecond ?? 0, verdict);
      if (verdict?.allowed === false) return refuse(tooMany(verdict, headers));
      try {
        const made = await handler({
          request,
          params,
          query: new URLSearchParams(context.query),
          call,
          session: options.registry.open(call),
          representation,
          readBody: () => context.readBody(),
          streamBody: () => upload(request, info),
        });
        if (!isOpen) await rate?.recordResult(call, true);
        return await respond(made, { request, representation, requestId, compress }, headers);
      } catch (error) {
        const problem = problemOfError(error);
        if (problem.status === 500) throw error;
        // An error of the storage or the provider says nothing about the token.
        if (!isOpen && problem.status < 500) await rate?.recordResult(call, problem.status !== 401);
        // An address that was signed needs no rate: who may download got it. Made-up ones are counted by peer.
        const guessed = isOpen ? await rate?.take({ ...call, token: undefined }) : undefined;
        if (guessed?.allowed === false) return refuse(tooMany(guessed, {}));
        return refuse({ ...problem, headers: { ...headers, ...problem.headers } });
      }
    } catch (error) {
      const problem = problemOfError(error);
      if (problem.status === 500)
        onError?.(error instanceof ProblemError ? error.cause : error, { requestId, operation });
      return refuse(problem);
    }
  }

  return { paths: REGISTRY_PATHS, ...createApp(options, answer) };
}

const DEFAULT_DOWNLOAD_TTL_SECONDS = 600;

function createHandlers(
  options: RegistryHttpOptions,
  clock: Clock,
  callsPerSecond: number | undefined,
): Readonly<Record<EndpointName, Handler>> {
  const { registry, urlSigner, publicUrl } = options;
  const reads = createReads();
  const downloads = createDownloads({
    registry,
    addresses: createArchiveAddresses(urlSigner, clock, options.downloadTtlSeconds ?? DEFAULT_DOWNLOAD_TTL_SECONDS),
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    overlay: options.overlay,
  });
  const publish = createPublish();
  const rateHeader = callsPerSecond === undefined ? {} : { headers: { 'x-ratelimit-limit': String(callsPerSecond) } };
  return {
    'registry.discovery': async () => json(200, { 'modules.v1': `${MODULES_PATH}/` }),
    'registry.ping': async () => ({ status: 204, body: null, ...rateHeader }),
    'registry.version.deprecate': patchVersion,
    'registry.version.publish': publish,
    'registry.version.publish.post': publish,
    'registry.version.delete': deleteVersion,
    'registry.module.deprecate-range': deprecateRange,
    'registry.module.list': lists.all,
    'registry.module.search': lists.search,
    'registry.version.statuses': reads.statuses,
    'registry.module.list-of-organization': lists.ofNamespace,
    'registry.module.latest-by-provider': lists.byProvider,
    'registry.module.latest': reads.latest,
    'registry.module.versions': reads.versions,
    'registry.module.download-latest': downloads.downloadLatest,
    'registry.version.read': reads.version,
    'registry.version.status': reads.status,
    'registry.version.history': reads.history,
    'registry.version.download': downloads.download,
    'registry.version.archive.tar.gz': downloads.archive('tar.gz'),
    'registry.version.archive.zip': downloads.archive('zip'),
  };
}

/** Each `init` makes two calls a module: thirty jobs with 120 modules each that begin at once, on one token, are 7,200. */
const TOKEN_RATE: RateLimits = { perSecond: 500, burst: 10_000 };
const PEER_RATE: RateLimits = { perSecond: 50, burst: 200 };

function limitsOf({ perSecond, burst }: Rate): { readonly peer: RateLimits; readonly token: RateLimits } {
  const set = (otherwise: RateLimits): RateLimits => {
    if (perSecond === undefined) return checkRate('rate', { ...otherwise, burst: burst ?? otherwise.burst });
    return checkRate('rate', { perSecond, burst: burst ?? Math.max(1, perSecond) });
  };
  return { peer: set(PEER_RATE), token: set(TOKEN_RATE) };
}

function tooMany(verdict: RateVerdict, headers: Readonly<Record<string, string>>): Problem {
  return problemOf(429, 'too many requests', { retryAfterSeconds: retryAfterSeconds(verdict), headers });
}

/** As go-tfe reads them: the rate per second, and the seconds until a call is left (REGAPI-10). */
function rateHeaders(limit: number, { remaining, resetSeconds }: RateVerdict): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.floor(remaining)),
    'x-ratelimit-reset': resetSeconds.toFixed(3),
  };
}
