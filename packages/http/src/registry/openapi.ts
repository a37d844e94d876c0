/** The registry's paths in the OpenAPI document, made from the table of endpoints. */
import { OPERATIONS } from '@postern/core-registry';
import type { JsonObject } from '../auth/openapi/json-schema.js';
import { type Endpoint, endpoints, MANAGED_PREFIX } from './endpoints.js';
import { JSON_API } from './representation.js';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const ARCHIVE_TYPES = ['application/gzip', 'application/zip', 'application/octet-stream'];
const binary = { type: 'string', format: 'binary' };
const NUMBERS: ReadonlySet<string> = new Set(['offset', 'limit', 'before']);

export function registryPaths(): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const endpoint of endpoints()) {
    const at = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[at] = { ...paths[at], [endpoint.method.toLowerCase()]: entry(endpoint) };
  }
  return paths;
}

function entry({ name, ...endpoint }: Endpoint & { readonly name: string }): JsonObject {
  const { operation, summary, path, body, query = [], answer, status = 200, isOpen = false } = endpoint;
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
    summary: operation === undefined ? summary : OPERATIONS[operation].summary,
    security: isOpen ? [] : [{ bearer: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(type, body) } }),
    responses: {
      [status]: { description: 'Done', ...(answer === undefined ? {} : { content: contentOf(type, answer) }) },
      ...Object.fromEntries(
        problemStatuses(endpoint, isManaged).map((each) => [
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
  401: 'Missing or invalid token',
  403: 'Revoked, or an invalid or expired address',
  404: 'Missing, or not visible to this caller',
  406: 'The requested form of JSON:API is not available',
  409: 'The state of the version does not allow it',
  413: 'The body is too large',
  415: 'Unsupported content type',
  422: 'The request is invalid',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'A dependency is unavailable; try again',
};

/** Discovery and ping always succeed. */
function problemStatuses({ operation, method, body, answer }: Endpoint, isManaged: boolean): readonly number[] {
  if (operation === undefined) return [];
  const always = [404, ...(isManaged ? [406] : []), 422, 429, 500, 503];
  if (answer === 'archive') return [403, 404, 500, 503];
  if (body !== undefined) return [401, ...always, 409, 413, 415];
  return method === 'GET' ? [401, 403, ...always] : [401, ...always];
}
