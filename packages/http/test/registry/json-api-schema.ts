/** The documents of JSON:API 1.0 as a JSON schema, written from its text: what every answer below `/api/v2` must be. */
import { Ajv2020 } from 'ajv/dist/2020.js';

const identifier = {
  type: 'object',
  required: ['type', 'id'],
  properties: {
    type: { type: 'string', minLength: 1 },
    id: { type: 'string', minLength: 1 },
    meta: { type: 'object' },
  },
  additionalProperties: false,
};
const linkage = { anyOf: [{ type: 'null' }, identifier, { type: 'array', items: identifier, uniqueItems: true }] };
/** Attributes and relationships share one set of names, none of which is `type` or `id`. */
const memberName = { pattern: '^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$', not: { enum: ['type', 'id'] } };
const resource = {
  type: 'object',
  required: ['type', 'id'],
  properties: {
    type: { type: 'string', minLength: 1 },
    id: { type: 'string', minLength: 1 },
    attributes: { type: 'object', propertyNames: memberName },
    relationships: {
      type: 'object',
      propertyNames: memberName,
      additionalProperties: {
        type: 'object',
        minProperties: 1,
        properties: { links: { type: 'object' }, data: linkage, meta: { type: 'object' } },
        additionalProperties: false,
      },
    },
    links: { type: 'object' },
    meta: { type: 'object' },
  },
  additionalProperties: false,
};
const error = {
  type: 'object',
  minProperties: 1,
  properties: {
    id: { type: 'string' },
    links: { type: 'object' },
    status: { type: 'string', pattern: '^[45]\\d\\d$' },
    code: { type: 'string' },
    title: { type: 'string', minLength: 1 },
    detail: { type: 'string', minLength: 1 },
    source: {
      type: 'object',
      properties: { pointer: { type: 'string', pattern: '^(?:/[^/]*)*$' }, parameter: { type: 'string' } },
      additionalProperties: false,
    },
    meta: { type: 'object' },
  },
  additionalProperties: false,
};
const common = { meta: { type: 'object' }, jsonapi: { type: 'object' }, links: { type: 'object' } };
const schema = {
  type: 'object',
  oneOf: [
    {
      required: ['data'],
      properties: {
        data: { anyOf: [{ type: 'null' }, resource, { type: 'array', items: resource }] },
        included: { type: 'array', items: resource, uniqueItems: true },
        ...common,
      },
      additionalProperties: false,
    },
    {
      required: ['errors'],
      properties: { errors: { type: 'array', minItems: 1, items: error }, ...common },
      additionalProperties: false,
    },
  ],
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
const validate = ajv.compile(schema);

interface Identified {
  readonly type: string;
  readonly id: string;
}

/** @throws Error where it is no JSON:API document, names a resource twice, or includes one that nothing points to. */
export function checkJsonApi(document: unknown): void {
  if (!validate(document)) throw new Error(`${ajv.errorsText(validate.errors)}\n${JSON.stringify(document)}`);
  // The schema has just proven these shapes.
  const { data, included = [] } = document as { data?: unknown; included?: readonly Identified[] };
  const key = ({ type, id }: Identified) => `${type} ${id}`;
  const own = (Array.isArray(data) ? data : [data]).filter((each) => each != null) as Identified[];
  const all = [...own, ...included].map(key);
  if (new Set(all).size !== all.length) throw new Error(`a resource is there twice: ${all.join(', ')}`);
  const linked = JSON.stringify(data ?? null);
  for (const each of included) {
    if (!linked.includes(JSON.stringify(each.id))) throw new Error(`${key(each)} is included and nothing links to it`);
  }
}
