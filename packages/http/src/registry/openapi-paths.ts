/** The registry's paths in the OpenAPI document: every route and method, with what it takes and answers. */
import { OPERATIONS, type OperationId } from '@postern/core-registry';
import type { JsonObject } from '../auth/openapi/json-schema.js';
import { JSON_API } from './faces.js';
import {
  MANAGED_PREFIX,
  MANAGED_ROUTE,
  MODULE_PART,
  MODULES_PATH,
  PING_PATH,
  READ_ROUTE,
  VERSION_ROUTE,
} from './registry-paths.js';
import type { Method } from './registry-routes.js';

interface Described {
  readonly method: Method;
  readonly path: string;
  /** Its summary is that of the catalogue's operation. */
  readonly id: OperationId;
  readonly name?: string;
  readonly body?: string;
  readonly query?: readonly string[];
  /** Schema of what is answered with `status`, 200 unless said. */
  readonly answer?: string;
  readonly status?: number;
}

const MANAGED_VERSION = `${MANAGED_ROUTE}/${MODULE_PART}/:module_version`;
const PAGE = ['offset', 'limit', 'provider'] as const;

const DESCRIBED: readonly Described[] = [
  {
    method: 'PATCH',
    path: MANAGED_VERSION,
    id: 'registry.version.deprecate',
    body: 'RegistryCommand',
    answer: 'RegistryChanged',
  },
  ...(['PUT', 'POST'] as const).map((method) => ({
    method,
    path: MANAGED_VERSION,
    id: 'registry.version.publish' as const,
    name: `registry.version.publish${method === 'POST' ? '.post' : ''}`,
    body: 'archive',
    query: ['description', 'source'],
    answer: 'RegistryPublished',
    status: 201,
  })),
  { method: 'DELETE', path: MANAGED_VERSION, id: 'registry.version.delete', status: 204 },
  {
    method: 'POST',
    path: `${MANAGED_ROUTE}/${MODULE_PART}/deprecations`,
    id: 'registry.module.deprecate-range',
    body: 'RegistryRange',
    answer: 'RegistryRangeOutcome',
  },
  {
    method: 'GET',
    path: MODULES_PATH,
    id: 'registry.module.list',
    query: [...PAGE, 'namespace'],
    answer: 'RegistryModules',
  },
  {
    method: 'GET',
    path: `${MODULES_PATH}/search`,
    id: 'registry.module.list',
    name: 'registry.module.search',
    query: [...PAGE, 'namespace', 'q'],
    answer: 'RegistryModules',
  },
  {
    method: 'POST',
    path: `${MODULES_PATH}/statuses`,
    id: 'registry.version.statuses',
    body: 'RegistryStatusQuestion',
    answer: 'RegistryStatuses',
  },
  {
    method: 'GET',
    path: READ_ROUTE,
    id: 'registry.module.list',
    name: 'registry.module.list-of-organization',
    query: PAGE,
    answer: 'RegistryModules',
  },
  {
    method: 'GET',
    path: `${READ_ROUTE}/:module_name`,
    id: 'registry.module.latest-by-provider',
    answer: 'RegistryModules',
  },
  { method: 'GET', path: `${READ_ROUTE}/${MODULE_PART}`, id: 'registry.module.latest', answer: 'RegistryModule' },
  {
    method: 'GET',
    path: `${READ_ROUTE}/${MODULE_PART}/versions`,
    id: 'registry.module.versions',
    answer: 'RegistryVersions',
  },
  {
    method: 'GET',
    path: `${READ_ROUTE}/${MODULE_PART}/download`,
    id: 'registry.version.download',
    name: 'registry.module.download-latest',
    status: 302,
  },
  { method: 'GET', path: VERSION_ROUTE, id: 'registry.version.read', answer: 'RegistryModule' },
  { method: 'GET', path: `${VERSION_ROUTE}/status`, id: 'registry.version.status', answer: 'RegistryStatus' },
  {
    method: 'GET',
    path: `${VERSION_ROUTE}/history`,
    id: 'registry.version.history',
    query: ['before', 'limit'],
    answer: 'RegistryHistory',
  },
  { method: 'GET', path: `${VERSION_ROUTE}/download`, id: 'registry.version.download', answer: 'RegistryDownload' },
  ...(['tar.gz', 'zip'] as const).map((format) => ({
    method: 'GET' as const,
    path: `${VERSION_ROUTE}/archive.${format}`,
    id: 'registry.version.archive' as const,
    name: `registry.version.archive.${format}`,
    query: ['expires', 'overlay', 'signature'],
    answer: 'archive',
  })),
];

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const ARCHIVE_TYPES = ['application/gzip', 'application/zip', 'application/octet-stream'];
const binary = { type: 'string', format: 'binary' };
const NUMBERS: ReadonlySet<string> = new Set(['offset', 'limit', 'before']);

/** With the discovery document and the ping, which need no token. */
export function registryPaths(): JsonObject {
  const paths: { [path: string]: JsonObject } = {
    '/.well-known/terraform.json': {
      get: {
        operationId: 'registry.discovery',
        summary: 'Where the module registry protocol is spoken',
        security: [],
        responses: { 200: { description: 'Services', content: contentOf('application/json', 'RegistryDiscovery') } },
      },
    },
    [PING_PATH]: {
      get: {
        operationId: 'registry.ping',
        summary: 'How often a caller may ask',
        security: [],
        responses: { 204: { description: 'Calls a second in X-RateLimit-Limit, where there is a bound' } },
      },
    },
  };
  for (const described of DESCRIBED) {
    const at = described.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[at] = { ...paths[at], [described.method.toLowerCase()]: entry(described) };
  }
  return paths;
}

function entry({ method, path, id, name = id, body, query = [], answer, status = 200 }: Described): JsonObject {
  const isManaged = path.startsWith(MANAGED_PREFIX);
  const type = isManaged ? JSON_API : 'application/json';
  const parameters = [
    ...[...path.matchAll(/:(\w+)/g)].map(([, part]) => ({
      name: part,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...query.map((each) => ({ name: each, in: 'query', schema: { type: NUMBERS.has(each) ? 'integer' : 'string' } })),
  ];
  const problems = contentOf(type, isManaged ? 'RegistryProblems' : 'RegistryErrors');
  return {
    operationId: name,
    summary: OPERATIONS[id].summary,
    security: answer === 'archive' ? [] : [{ bearer: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(type, body) } }),
    responses: {
      [status]: { description: 'Done', ...(answer === undefined ? {} : { content: contentOf(type, answer) }) },
      ...Object.fromEntries(
        statusesOf(method, body, answer, isManaged).map((each) => [
          each,
          { description: PROBLEM_TEXTS[each], content: problems },
        ]),
      ),
    },
  };
}

function contentOf(type: string, schema: string): JsonObject {
  if (schema === 'archive') return Object.fromEntries(ARCHIVE_TYPES.map((each) => [each, { schema: binary }]));
  return { [type]: { schema: ref(schema) } };
}

const PROBLEM_TEXTS: Readonly<Record<number, string>> = {
  401: 'No token, or a wrong one',
  403: 'Revoked, or an address that was not handed out',
  404: 'Not there, or not for this caller',
  406: 'Another form of JSON:API is asked for',
  409: 'The state of the version does not allow it',
  413: 'The body is too large',
  415: 'Another content type is needed',
  422: 'The request is malformed',
  429: 'Too many requests',
  500: 'A defect of the server',
  503: 'Could not find out; try again',
};

function statusesOf(
  method: Method,
  body: string | undefined,
  answer: string | undefined,
  isManaged: boolean,
): readonly number[] {
  const always = [404, ...(isManaged ? [406] : []), 422, 429, 500, 503];
  if (answer === 'archive') return [403, 404, 500, 503];
  if (body !== undefined) return [401, ...always, 409, 413, 415];
  return method === 'GET' ? [401, 403, ...always] : [401, ...always];
}
