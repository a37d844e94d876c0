/** What operations answer, status by status (WIRE-10, ERROR-2, ERROR-1, WIRE-9): the document's `responses`. */
import { ERROR_KINDS, type ErrorKind, type Operation } from '@postern/core-auth';
import { STATUS_OF_KIND, TRANSPORT_CODES } from '../answer.js';
import type { WireProfile } from '../wire-profile.js';
import { type Definitions, type JsonObject, toJsonSchema } from './json-schema.js';

const NULL = { type: 'null' } as const;

/** Every member of an envelope is always there. */
function envelope(data: JsonObject, auth: JsonObject): JsonObject {
  const properties: JsonObject = {
    request_id: { type: 'string' },
    lease_id: { type: 'string' },
    renewable: { type: 'boolean' },
    lease_duration: { type: 'integer' },
    data,
    wrap_info: NULL,
    warnings: { anyOf: [{ type: 'array', items: { type: 'string' } }, NULL] },
    auth,
  };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

export const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  description: 'Missing things and empty lists are 404 without a word. `code` is stable; texts are for people.',
  properties: {
    errors: { type: 'array', items: { type: 'string' } },
    code: { enum: [...Object.keys(ERROR_KINDS), ...TRANSPORT_CODES].sort() },
  },
  required: ['errors'],
  additionalProperties: false,
};

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  400: "The caller's fault, or a login that was judged and denied",
  403: 'No permission, or an address that is not allowed',
  404: 'Nothing is there',
  405: 'The path does not answer to this method',
  413: 'The body is too large',
  429: 'Too many requests of this address or token',
  500: 'A defect of the server',
  502: 'An operator must act: access to the provider is not configured or not granted',
  503: 'Could not find out; try again',
};

const RETRY_AFTER = { 'retry-after': { schema: { type: 'string' }, description: 'Seconds' } };

function error(status: number): JsonObject {
  return {
    description: ERROR_TEXTS[status],
    ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
    content: json({ $ref: '#/components/schemas/Error' }),
  };
}

/** By status: the name that `components.responses` knows an error answer by, and the answer. */
export function errorResponses(): JsonObject {
  return Object.fromEntries(Object.keys(ERROR_TEXTS).map((status) => [`Error${status}`, error(Number(status))]));
}

export function responsesOf(operation: Operation, profile: WireProfile, definitions: Definitions): JsonObject {
  const { verb, output, auth, background } = operation;
  const answersData = output !== undefined;
  const answersAuth = auth !== undefined;
  const body = envelope(
    answersData ? toJsonSchema(output, 'output', profile, definitions) : NULL,
    answersAuth ? toJsonSchema(auth, 'output', profile, definitions) : NULL,
  );
  const speaks = { content: json(body) };
  const silent = !answersData && !answersAuth;
  return {
    ...(silent && verb !== 'delete' ? { 200: { description: 'Done, with something to say', ...speaks } } : {}),
    ...(silent ? { 204: { description: 'Done' } } : { 200: { description: 'Done', ...speaks } }),
    ...(background === true ? { 202: { description: 'Started', ...speaks } } : {}),
    ...Object.fromEntries(
      errorStatusesOf(operation).map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
    ),
  };
}

/** A kind of error may end any operation; what is over a limit only one that has a body. */
function errorStatusesOf({ verb }: Operation): readonly number[] {
  const kinds = (Object.keys(STATUS_OF_KIND) as ErrorKind[]).filter((kind) => kind !== 'too_large' || verb === 'write');
  const statuses = kinds.map((kind) => STATUS_OF_KIND[kind]);
  return [...new Set([...statuses, 405, 429])].sort();
}

export function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}
