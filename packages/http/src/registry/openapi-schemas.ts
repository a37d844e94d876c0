/** Schemas of what the registry takes and answers, as JSON Schema 2020-12 (REGAPI-2 to REGAPI-4, MODULE-3, MODULE-2, REG-5). */
import { OPERATIONS, REASON_CLASSES } from '@postern/core-registry';
import * as z from 'zod';
import type { JsonObject } from '../auth/openapi/json-schema.js';

/**
 * A schema of the catalogue of operations in the spelling of the registry protocol: snake_case, instants (numbers in the
 * domain) as RFC 3339 texts.
 */
function snake(schema: z.ZodType): JsonObject {
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema);
  // JSON Schema is JSON: an object stays an object.
  return inSnakeCase(made) as JsonObject;
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  const schema: JsonObject = { ...value };
  if (schema['format'] === 'epoch-millis') return { type: 'string', format: 'date-time' };
  const members = Object.entries(schema).flatMap(([name, member]): [string, unknown][] => {
    if (name === 'additionalProperties') return [];
    if (name === 'required' && Array.isArray(member)) return [[name, member.map((each) => snakeName(String(each)))]];
    if (name !== 'properties' || typeof member !== 'object' || member === null) return [[name, inSnakeCase(member)]];
    const properties = Object.entries(member).map(([each, its]) => [snakeName(each), inSnakeCase(its)]);
    return [[name, Object.fromEntries(properties)]];
  });
  return Object.fromEntries(members);
}

function snakeName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const statusOutput = OPERATIONS['registry.version.status'].output.shape;
const contents = OPERATIONS['registry.version.read'].output.shape.details.shape.root;
const input = contents.shape.inputs.element.extend({ default: z.string().nullable() });
/** A folder of a module: on the wire an input without a default has null. */
const folder = snake(contents.extend({ inputs: z.array(input) }));
const summaryOutput = OPERATIONS['registry.module.versions'].output.shape.versions.element.shape.summary.shape;
const requirements = {
  dependencies: snake(summaryOutput.root.shape.dependencies),
  providers: snake(summaryOutput.root.shape.providerDependencies),
};

const text = { type: 'string' };
const nullable = (schema: JsonObject) => ({ anyOf: [schema, { type: 'null' }] });
const dateTime = { type: 'string', format: 'date-time' };
const nullableText = { type: ['string', 'null'] };
const object = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
});
const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Members of what a command takes, as the catalogue of operations has them. */
function membersOf(schema: z.ZodType): Readonly<Record<string, object | boolean>> {
  return z.toJSONSchema(schema, { io: 'input' }).properties ?? {};
}

/** By the names of JSON:API documents: kebab-case. */
const inKebabCase = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).map(([name, its]) => [snakeName(name).replaceAll('_', '-'), its]));

const { reason, link, ...furtherMembers } = membersOf(OPERATIONS['registry.version.deprecate'].input);
const details = object(inKebabCase(furtherMembers), []);
const revoked = membersOf(OPERATIONS['registry.version.revoke'].input);
const rangeMembers = Object.fromEntries(
  Object.entries(membersOf(OPERATIONS['registry.module.deprecate-range'].input)).filter(
    ([name]) => name !== 'reason' && name !== 'link' && name !== 'reinstate' && !(name in furtherMembers),
  ),
);

/** A JSON:API document that asks for something. */
const asks = (type: string, attributes: JsonObject) =>
  object({ data: object({ type: { const: type }, attributes: { type: 'object', ...attributes } }) });

const deprecated = { const: 'Deprecated' };
const deprecation = object({ 'deprecated-status': deprecated, reason, link }, ['deprecated-status']);

/** Members beside `deprecation` where a version is not active. */
const extensions = {
  deprecation_details: object({
    reason_class: { enum: [...REASON_CLASSES, null] },
    replacement: furtherMembers['replacement'],
    sunset_at: nullableText,
    deprecated_at: text,
    deprecated_by: text,
    revised_at: nullableText,
    revised_by: nullableText,
  }),
  revocation: ref('RegistryNotice'),
};
const notice = nullable(ref('RegistryNotice'));

const summary = {
  id: text,
  owner: text,
  namespace: text,
  name: text,
  version: text,
  provider: text,
  description: text,
  source: text,
  published_at: text,
  deprecation: notice,
};
/** What a module version declares, and all versions of its module. */
const declared = { root: folder, submodules: list(folder), examples: list(folder), versions: list(text) };
const resource = (type: string, properties: JsonObject = {}) =>
  object({ type: { const: type }, id: text, ...properties });

const pageMeta = object(
  {
    limit: { type: 'integer' },
    current_offset: { type: 'integer' },
    next_offset: { type: 'integer' },
    next_url: text,
    prev_offset: { type: 'integer' },
    prev_url: text,
  },
  ['limit', 'current_offset'],
);

/** By the name that `components.schemas` knows them by. */
export const REGISTRY_SCHEMAS = {
  RegistryNotice: { ...object({ reason: nullableText, link: nullableText }), additionalProperties: false },
  RegistryProblems: object({
    errors: list(
      object({ status: text, title: text, detail: text, source: object({ pointer: text }) }, [
        'status',
        'title',
        'detail',
      ]),
    ),
  }),
  RegistryErrors: object({ errors: list(text) }),
  RegistryCommand: {
    oneOf: [
      asks('module-versions', {
        properties: { deprecation, 'deprecation-details': details },
        required: ['deprecation'],
      }),
      asks('module-versions', object({ deprecation: object({ 'deprecated-status': { const: 'Undeprecated' } }) })),
      asks(
        'module-versions',
        object({
          revocation: object({ status: { const: 'Revoked' }, message: revoked['reason'], link: revoked['link'] }, [
            'status',
          ]),
        }),
      ),
      asks('module-versions', object({ revocation: object({ status: { const: 'Unrevoked' } }) })),
    ],
  },
  RegistryChanged: object(
    {
      data: {
        oneOf: [
          resource('module-versions'),
          resource('registry-module-versions', {
            attributes: object({ version: text, revocation: nullable({ type: 'object' }) }),
          }),
        ],
      },
      included: list(resource('deprecations', { attributes: object({ link: nullableText, reason: nullableText }) })),
      meta: { type: 'object' },
    },
    ['data'],
  ),
  RegistryRange: asks(
    'deprecations',
    object(
      {
        ...inKebabCase(rangeMembers),
        deprecation: object({ 'deprecated-status': { enum: ['Deprecated', 'Undeprecated'] }, reason, link }, []),
        'deprecation-details': details,
      },
      ['range'],
    ),
  ),
  RegistryRangeOutcome: object({
    data: list(
      resource('module-versions', {
        attributes: snake(OPERATIONS['registry.module.deprecate-range'].output.shape.changes.element),
      }),
    ),
    meta: object({
      range: text,
      'dry-run': { type: 'boolean' },
      complete: { type: 'boolean' },
      total: { type: 'integer' },
    }),
  }),
  RegistryPublished: object({
    data: resource('registry-module-versions', {
      attributes: object({
        version: text,
        status: { const: 'ok' },
        source: text,
        owner: text,
        'created-at': dateTime,
        archive: object({ format: { enum: ['tar.gz', 'zip'] }, 'size-bytes': { type: 'integer' }, 'sha-256': text }),
      }),
    }),
  }),
  RegistryModule: object({ ...summary, ...extensions }, Object.keys(summary)),
  RegistryModuleDetails: object({ ...summary, ...declared, ...extensions }, Object.keys({ ...summary, ...declared })),
  RegistryModules: object({ meta: pageMeta, modules: list(ref('RegistryModule')) }),
  RegistryVersions: object({
    modules: list(
      object({
        source: text,
        versions: list(
          object(
            {
              version: text,
              root: object(requirements),
              submodules: list(object({ path: text, ...requirements })),
              deprecation: notice,
              ...extensions,
            },
            ['version', 'root', 'submodules', 'deprecation'],
          ),
        ),
      }),
    ),
  }),
  RegistryStatus: object({ id: text, state: snake(statusOutput.state), deprecation: notice, ...extensions }, [
    'id',
    'state',
    'deprecation',
  ]),
  RegistryStatusQuestion: object({ versions: list(text) }),
  RegistryStatuses: object({ statuses: list(nullable(ref('RegistryStatus'))) }),
  RegistryHistory: object({
    history: list(snake(OPERATIONS['registry.version.history'].output.shape.entries.element)),
    meta: object({ total: { type: 'integer' }, next_before: { type: ['integer', 'null'] } }),
  }),
  RegistryDownload: object({ location: text, use_registry_credentials: { const: false } }),
  RegistryDiscovery: object({ 'modules.v1': text }),
} satisfies Readonly<Record<string, JsonObject>>;

export type RegistrySchemaName = keyof typeof REGISTRY_SCHEMAS;
