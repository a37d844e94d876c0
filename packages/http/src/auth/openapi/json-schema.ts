/** Schemas of the catalogue as JSON Schema 2020-12, the dialect of OpenAPI 3.1, in the names of a wire profile (WIRE-2). */
import * as z from 'zod';
import { membersToWire, textToWire, type WireProfile } from '../wire-profile.js';

/** A JSON Schema or any other object of the document. */
export type JsonObject = { [member: string]: unknown };

/** Definitions that several schemas point to, by name: `components.schemas` of the document. */
export type Definitions = Map<string, JsonObject>;

/** Of the request's fields before they are read, or of the answer's members after. */
export function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  profile: WireProfile,
  definitions: Definitions,
): JsonObject {
  // The dialect is that of the whole document; recursive parts move to where the document keeps its definitions.
  const {
    $schema: _dialect,
    $defs = {},
    ...made
  } = z.toJSONSchema(schema, { io }) as JsonObject & { $defs?: JsonObject };
  for (const [name, definition] of Object.entries($defs)) {
    definitions.set(definitionName(name), pointToComponents(definition) as JsonObject);
  }
  return inWireNames(pointToComponents(made) as JsonObject, profile);
}

/** Recursion in the catalogue is only ever "any JSON", so that all such definitions are one. */
function definitionName(_generated: string): string {
  return 'AnyJson';
}

function pointToComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointToComponents);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name !== '$ref' || typeof member !== 'string') return [name, pointToComponents(member)];
      return [name, `#/components/schemas/${definitionName(member)}`];
    }),
  );
}

/** Properties, what is required of them, and what is said of them. */
function inWireNames(schema: JsonObject, profile: WireProfile): JsonObject {
  const { properties, required } = schema;
  if (typeof properties !== 'object' || properties === null) return schema;
  const described = Object.entries(properties).map(([name, property]) => [name, inWireText(property, profile)]);
  return {
    ...schema,
    properties: membersToWire(profile, Object.fromEntries(described)),
    ...(Array.isArray(required) ? { required: required.map((name) => textToWire(profile, String(name))) } : {}),
  };
}

function inWireText(property: JsonObject, profile: WireProfile): JsonObject {
  const { description } = property;
  return typeof description === 'string' ? { ...property, description: textToWire(profile, description) } : property;
}
