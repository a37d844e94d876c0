/** The OpenAPI 3.1 document of the interface, made from the catalogue: what is served is what is documented. */
import type { Operation } from '@postern/core-auth';
import type { WireProfile } from '../wire-profile.js';
import { ERROR_SCHEMA, errorResponses, json } from './answers.js';
import type { Definitions, JsonObject } from './json-schema.js';
import { pathsOf } from './paths.js';

export interface DocumentInput {
  readonly operations: readonly Operation[];
  /** Below `/v1/`. */
  readonly mountPath: string;
  readonly profile: WireProfile;
  /** Of the server. */
  readonly version: string;
  /** Of another application that the service combines with the method: the registry. */
  readonly further?: DocumentPart | undefined;
}

export interface DocumentPart {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
}

const HEALTH: JsonObject = {
  type: 'object',
  properties: {
    initialized: { type: 'boolean' },
    sealed: { type: 'boolean' },
    standby: { type: 'boolean' },
    performance_standby: { type: 'boolean' },
    replication_performance_mode: { type: 'string' },
    replication_dr_mode: { type: 'string' },
    server_time_utc: { type: 'integer' },
    version: { type: 'string' },
    storage: { enum: ['reachable', 'unreachable'] },
    warnings: { type: 'array', items: { type: 'string' } },
    ready: { type: 'boolean' },
    code: { type: 'string' },
    reason: { type: 'string' },
  },
  required: ['initialized', 'sealed', 'standby', 'server_time_utc', 'version', 'storage', 'warnings'],
  additionalProperties: false,
};

const refused = (status: number) => ({ $ref: `#/components/responses/Error${status}` });

const SYSTEM_PATHS: JsonObject = {
  '/v1/sys/health': {
    get: {
      operationId: 'sys.health',
      summary: 'Whether the server can serve; with ?ready, as a write to its storage shows now',
      parameters: [{ name: 'ready', in: 'query', allowEmptyValue: true, schema: { type: 'string' } }],
      security: [],
      responses: {
        200: { description: 'It can', content: json(HEALTH) },
        429: refused(429),
        500: refused(500),
        503: { description: 'It cannot; code and reason say why', content: json(HEALTH) },
      },
    },
  },
  '/v1/sys/openapi.json': {
    get: {
      operationId: 'sys.openapi',
      summary: 'This document',
      security: [],
      responses: {
        200: { description: 'OpenAPI 3.1', content: json({ type: 'object' }) },
        429: refused(429),
        500: refused(500),
      },
    },
  },
};

/** Of the vault profile (WIRE-31). */
const VAULT_PATHS: JsonObject = Object.fromEntries(
  [
    ['seal-status', 'Whether the server is sealed: never', ['initialized', 'sealed', 'type', 'version']],
    ['init', 'Whether the server is initialized: always', ['initialized']],
    ['leader', 'Which server serves: this one', ['ha_enabled', 'is_self', 'leader_address']],
  ].map(([name, summary, required]) => [
    `/v1/sys/${name}`,
    {
      get: {
        operationId: `sys.${name}`,
        summary,
        security: [],
        responses: {
          200: { description: 'It is so', content: json({ type: 'object', required }) },
          429: refused(429),
          500: refused(500),
        },
      },
    },
  ]),
);

export function createOpenApiDocument(input: DocumentInput): JsonObject {
  const { operations, mountPath, profile, version, further } = input;
  const definitions: Definitions = new Map();
  const paths = pathsOf(operations, mountPath, profile, definitions);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postern',
      version,
      description: 'Cloud instances and principals prove who they are and receive a token.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { bearer: [] }],
    paths: { ...SYSTEM_PATHS, ...(profile.name === 'vault' ? VAULT_PATHS : {}), ...paths, ...further?.paths },
    components: {
      schemas: { Error: ERROR_SCHEMA, ...Object.fromEntries(definitions), ...further?.schemas },
      responses: errorResponses(),
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: profile.tokenHeader },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}
