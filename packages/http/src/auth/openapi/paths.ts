/** Operations as the document's `paths`: aliases, parameters, bodies, and LIST as `GET` with `list=true` (WIRE-1, WIRE-8, WIRE-6). */
import type { Operation } from '@postern/core-auth';
import { type WireProfile, wirePathsOf } from '../wire-profile.js';
import { json, responsesOf } from './answers.js';
import { type Definitions, type JsonObject, toJsonSchema } from './json-schema.js';

/** As `isName` of the core and the router take them. */
const NAME = { type: 'string', pattern: '^\\w(?:[\\w.-]*\\w)?$', maxLength: 256 };
const REST = { type: 'string', minLength: 1 };

const LIST_FLAG = {
  name: 'list',
  in: 'query',
  required: true,
  description: 'The same as the verb LIST.',
  schema: { enum: ['true'] },
};

export function pathsOf(
  operations: readonly Operation[],
  mountPath: string,
  profile: WireProfile,
  definitions: Definitions,
): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of operations) {
    for (const [index, path] of wirePathsOf(operation, profile, mountPath).entries()) {
      const at = path.replaceAll(/:(\w+)\*?/g, '{$1}');
      const entry = (method: string): JsonObject => ({
        operationId: [operation.id, ...(index > 0 ? [`alias${index}`] : []), ...(method === 'put' ? ['put'] : [])].join(
          '.',
        ),
        summary: operation.summary,
        ...(index > 0 ? { deprecated: true } : {}),
        ...(operation.access === 'public' ? { security: [] } : {}),
        ...parametersOf(operation, path, profile, definitions),
        ...bodyOf(operation, profile, definitions),
        responses: responsesOf(operation, profile, definitions),
      });
      paths[at] = {
        ...paths[at],
        ...Object.fromEntries(methodsOf(operation).map((method) => [method, entry(method)])),
      };
    }
  }
  return paths;
}

function methodsOf({ verb }: Operation): readonly string[] {
  if (verb === 'write') return ['post', 'put'];
  return [verb === 'delete' ? 'delete' : 'get'];
}

function parametersOf(operation: Operation, path: string, profile: WireProfile, definitions: Definitions): JsonObject {
  const names = [...path.matchAll(/:(\w+)(\*?)/g)].map(([, name, rest]) => ({
    name,
    in: 'path',
    required: true,
    schema: rest === '*' ? REST : NAME,
  }));
  const isList = operation.verb === 'list';
  const parameters = [...names, ...(isList ? [LIST_FLAG, ...queryOf(operation, profile, definitions)] : [])];
  return parameters.length === 0 ? {} : { parameters };
}

/** The fields of a list, in its query: texts and whole numbers. */
function queryOf({ fields }: Operation, profile: WireProfile, definitions: Definitions): readonly JsonObject[] {
  const { properties } = toJsonSchema(fields, 'input', profile, definitions);
  // An object schema's properties are schemas by name.
  return Object.entries(properties as Readonly<Record<string, JsonObject>>).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: false,
      description,
      schema: { type: JSON.stringify(schema).includes('"boolean"') ? 'string' : 'integer' },
    }),
  );
}

function bodyOf({ verb, fields }: Operation, profile: WireProfile, definitions: Definitions): JsonObject {
  if (verb !== 'write' || Object.keys(fields.shape).length === 0) return {};
  const schema = toJsonSchema(fields, 'input', profile, definitions);
  return { requestBody: { required: false, content: json(schema) } };
}
