/** The auth method, the registry and its page as one web-standard HTTP application. */
import { emptyNotFound, jsonResponse, type ReadinessReport, readinessResponse } from './auth/answer.js';
import { type AuthAppOptions, createAuthApp } from './auth/auth-app.js';
import type { DocumentPart } from './auth/openapi/document.js';
import { AUTH_SHAPES, checkOptions, MOUNTED_PAGE_SHAPES, MOUNTED_REGISTRY_SHAPES } from './check-options.js';
import type { RegistryPage } from './page/page-options.js';
import type { RegistryHttpOptions } from './registry/options.js';
import { createRegistryApp } from './registry/registry-app.js';
import { combineApps, createApp, createBodyBudget, type HttpApp, type HttpPart } from './request.js';

/** @typeParam Info what the platform passes to `fetch` with a request: a socket, an environment. */
export interface HttpAppOptions<Info> extends AuthAppOptions<Info> {
  /** Called when an authorized caller starts to upload an archive, which may take longer than other bodies. */
  readonly onUpload?: (request: Request, info: Info) => void;
  /** Serves the registry below `/api` as well. */
  readonly registry?: RegistryHttpOptions;
  /** Serves the registry's page as well: what `createRegistryPage` returns. */
  readonly registryPage?: RegistryPage<Info>;
}

/**
 * Serves the auth method below `/v1`, and the registry and its page where they are given. For the auth method alone,
 * `createAuthApp` of `@postern/http/auth` loads less.
 *
 * @example
 * ```ts
 * const app = createHttpApp({ method, peerAddress: (request, socket: Socket) => socket.remoteAddress, health });
 * const response = await app.fetch(request, socket);
 * ```
 * @throws TypeError where an option is missing or lacks a method, where the mount path is `auth/token`, `sys` or `policies`, or below one
 *   of them, and when routes of the catalogue collide.
 */
export function createHttpApp<Info = undefined>(given: HttpAppOptions<Info>): HttpApp<Info> {
  const options = { ...given, bodyBudget: given.bodyBudget ?? createBodyBudget() };
  checkOptions('createHttpApp', options, [...AUTH_SHAPES, ...MOUNTED_PAGE_SHAPES]);
  const { registry, registryPage } = options;
  if (registry !== undefined) checkOptions('createHttpApp', options, MOUNTED_REGISTRY_SHAPES);
  const parts: readonly HttpPart<Info>[] = [
    createAuthApp(options, registry && describeRegistry),
    createProbes(options),
    ...(registry === undefined ? [] : [createRegistryApp<Info>({ ...options, ...registry })]),
    ...(registryPage === undefined ? [] : [{ paths: [registryPage.path], fetch: registryPage.fetch }]),
  ];
  return combineApps(options, parts, ({ requestId }) => emptyNotFound(requestId));
}

async function describeRegistry(): Promise<DocumentPart> {
  const [{ registryPaths }, { REGISTRY_SCHEMAS }] = await Promise.all([
    import('./registry/openapi.js'),
    import('./registry/openapi-schemas.js'),
  ]);
  return { paths: registryPaths(), schemas: REGISTRY_SCHEMAS };
}

/**
 * `/livez` and `/readyz` for orchestrators (WIRE-23), without a rate: a probe must not fail because others ask. `/livez` touches
 * nothing: a server whose storage is down must not be restarted for it.
 */
function createProbes<Info>(options: HttpAppOptions<Info>): HttpPart<Info> {
  const readiness = options.readiness ?? (() => readinessInHealth(options));
  const { fetch } = createApp<Info>(options, async ({ request, path, requestId }) => {
    if (path !== '/livez' && path !== '/readyz') return emptyNotFound(requestId);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return jsonResponse(405, requestId, { errors: ['unsupported operation'] }, { allow: 'GET, HEAD' });
    }
    return path === '/livez'
      ? jsonResponse(200, requestId, { live: true })
      : readinessResponse(await readiness(), requestId);
  });
  return { paths: ['/livez', '/readyz'], fetch };
}

async function readinessInHealth({ health }: Pick<AuthAppOptions<never>, 'health'>): Promise<ReadinessReport> {
  const { storageReachable, readiness } = await health();
  return { ...readiness, ready: storageReachable && readiness?.ready !== false };
}
