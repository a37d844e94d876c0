/** Schemas of what the registry takes and answers, as JSON Schema 2020-12 (REGAPI-2 to REGAPI-4, MODULE-3, MODULE-2, REG-5). */
import { MAX_LINK_CHARACTERS, MAX_REASON_CHARACTERS, REASON_CLASSES, STATES } from '@postern/core-registry';
import type { JsonObject } from '../auth/openapi/json-schema.js';

const text = { type: 'string' };
const nullable = (schema: JsonObject) => ({ anyOf: [schema, { type: 'null' }] });
const nullableText = { type: ['string', 'null'] };
const object = (properties: JsonObject, required: readonly string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
});
const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const reason = { type: ['string', 'null'], maxLength: MAX_REASON_CHARACTERS };
const link = { type: ['string', 'null'], format: 'uri', maxLength: MAX_LINK_CHARACTERS };
const replacement = nullable(object({ module: nullableText, version: nullableText }, []));
const details = object({ 'reason-class': { enum: [...REASON_CLASSES, null] }, replacement, sunset: nullableText }, []);

/** A JSON:API document that asks for something. */
const asks = (type: string, attributes: JsonObject) =>
  object({ data: object({ type: { const: type }, attributes: { type: 'object', ...attributes } }) });

const deprecated = { const: 'Deprecated' };
const deprecation = object({ 'deprecated-status': deprecated, reason, link }, ['deprecated-status']);

/** Members beside `deprecation` where a version is not active. */
const ours = {
  deprecation_details: object({
    reason_class: { enum: [...REASON_CLASSES, null] },
    replacement,
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
const resource = (type: string, properties: JsonObject = {}) =>
  object({ type: { const: type }, id: text, ...properties });

/** By the name that `components.schemas` knows them by. */
export const REGISTRY_SCHEMAS: Readonly<Record<string, JsonObject>> = {
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
        object({ revocation: object({ status: { const: 'Revoked' }, message: reason, link }, ['status']) }),
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
        range: text,
        'include-prereleases': { type: 'boolean' },
        'dry-run': { type: 'boolean' },
        deprecation: object({ reason, link }, []),
        'deprecation-details': details,
      },
      ['range'],
    ),
  ),
  RegistryRangeOutcome: object({
    data: list(resource('module-versions', { attributes: { type: 'object' } })),
    meta: object({
      range: text,
      'dry-run': { type: 'boolean' },
      complete: { type: 'boolean' },
      total: { type: 'integer' },
    }),
  }),
  RegistryPublished: object({ data: resource('registry-module-versions', { attributes: { type: 'object' } }) }),
  RegistryModule: object({ ...summary, ...ours }, Object.keys(summary)),
  RegistryModules: object({ meta: { type: 'object' }, modules: list(ref('RegistryModule')) }),
  RegistryVersions: object({
    modules: list(
      object({
        source: text,
        versions: list(
          object(
            {
              version: text,
              root: object({ dependencies: { type: 'array' }, providers: list(object({ name: text, version: text })) }),
              submodules: { type: 'array' },
              deprecation: notice,
              ...ours,
            },
            ['version', 'root', 'submodules', 'deprecation'],
          ),
        ),
      }),
    ),
  }),
  RegistryStatus: object({ id: text, state: { enum: [...STATES] }, deprecation: notice, ...ours }, [
    'id',
    'state',
    'deprecation',
  ]),
  RegistryStatusQuestion: object({ versions: list(text) }),
  RegistryStatuses: object({ statuses: list(nullable(ref('RegistryStatus'))) }),
  RegistryHistory: object({ history: list({ type: 'object' }), meta: { type: 'object' } }),
  RegistryDownload: object({ location: text, use_registry_credentials: { const: false } }),
  RegistryDiscovery: object({ 'modules.v1': text }),
};
