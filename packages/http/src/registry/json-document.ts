/** JSON documents that callers send: read strictly and within bounds (REGAPI-9, WIRE-13), members by pointer. */
import { parseStrictJson } from '@postern/kernel';
import type { Exchange } from './exchange.js';
import { ProblemError, problemOf } from './problem.js';
import { isJsonApiType, JSON_API } from './representation.js';

/** Objects and arrays inside one another (WIRE-13). */
const MAX_DEPTH = 32;

// `ignoreBOM` keeps a byte order mark in the text, where the JSON grammar refuses it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const TEXTS = {
  json_syntax: 'the document is not valid JSON',
  json_too_deep: `the document is nested deeper than ${MAX_DEPTH} levels`,
  json_duplicate_key: 'a name occurs twice in one object of the document',
  json_forbidden_key: 'a name in the document is not allowed',
} as const;

export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON:API document of a request. @throws ProblemError 415, 422; AuthError `body_too_large`, `body_invalid` */
export async function readJsonApi({ request, readBody }: Exchange): Promise<unknown> {
  if (!isJsonApiType(request.headers.get('content-type'))) {
    throw new ProblemError(problemOf(415, `the content type must be ${JSON_API}`));
  }
  return parseJsonDocument(await readBody());
}

/** @throws ProblemError 422 pointing at the whole document. */
export function parseJsonDocument(body: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    throw invalid('', 'the document is not valid UTF-8');
  }
  const parsed = parseStrictJson(text, { maxDepth: MAX_DEPTH, refuseDuplicateKeys: true });
  if (!parsed.ok) throw invalid('', TEXTS[parsed.code]);
  return parsed.value;
}

export function invalid(pointer: string, detail: string): ProblemError {
  return new ProblemError(problemOf(422, detail, { pointer }));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member; undefined where it was not sent. */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** @throws ProblemError 422 at `pointer` where the member is missing or no object. */
export function requireObject(value: unknown, pointer: string): JsonObject {
  if (isObject(value)) return value;
  throw invalid(
    pointer,
    `${pointer === '' ? 'the document' : pointer.slice(1).replaceAll('/', '.')}: must be an object`,
  );
}

/** The attributes of a JSON:API document of a type. @throws ProblemError 422 with the pointer of what is wrong. */
export function attributesOf(document: unknown, type: string): JsonObject {
  const data = requireObject(member(requireObject(document, ''), 'data'), '/data');
  if (member(data, 'type') !== type) throw invalid('/data/type', `data.type: must be ${type}`);
  return requireObject(member(data, 'attributes'), '/data/attributes');
}
