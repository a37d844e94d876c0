/**
 * The two ways in which the registry speaks (REGAPI-6, MODULE-9): JSON:API below `/api/v2`, plain JSON below
 * `/api/registry/v1`. They differ in content type, in how a problem looks, and in the spelling of what the registry adds to
 * `deprecation` (REG-6): kebab-case in JSON:API, snake_case in plain JSON. Documents that callers send are read strictly and within
 * bounds (REGAPI-9, WIRE-20), members by pointer.
 */

import {
  type Deprecation,
  type DeprecationExtras,
  formatInstant,
  type Notice,
  noticeOf,
  type VersionStatus,
} from '@postern/core-registry';
import { parseStrictJson, type StrictJsonOptions } from '@postern/kernel';
import { type Problem, ProblemError, problemOf } from './problem.js';

export const JSON_API = 'application/vnd.api+json';

export interface Representation {
  readonly contentType: string;
  /** The body of a problem. */
  problemBody(problem: Problem): string;
}

/** Exactly the members that REGAPI-6 names, in one order: bodies of equal problems are equal bytes. */
export const JSON_API_REPRESENTATION: Representation = {
  contentType: JSON_API,
  problemBody: ({ status, title, detail, pointer }) =>
    JSON.stringify({
      errors: [{ status: String(status), title, detail, ...(pointer === undefined ? {} : { source: { pointer } }) }],
    }),
};

/** Texts that clients of the registry protocol know. */
const PLAIN_TEXTS: Readonly<Record<number, string>> = { 401: 'Unauthorized', 404: 'Not Found' };

export const PLAIN_REPRESENTATION: Representation = {
  contentType: 'application/json',
  problemBody: ({ status, detail }) => JSON.stringify({ errors: [PLAIN_TEXTS[status] ?? detail] }),
};

/**
 * Whether a body is declared as JSON:API. `charset=utf-8`, which many clients add to everything, says nothing that JSON
 * does not; any other parameter is refused (JSON:API 1.0, server responsibilities).
 */
export function isJsonApiType(contentType: string | null): boolean {
  return /^application\/vnd\.api\+json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i.test(contentType ?? '');
}

/**
 * Whether a client takes JSON:API as it is (JSON:API 1.0, server responsibilities). One that names the media type, and each
 * time with parameters, asks for another form of it; one that does not name it takes what it gets.
 */
export function acceptsJsonApi(accept: string | null): boolean {
  const named = (accept ?? '').split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const asked = named.filter(([type]) => type === JSON_API);
  return asked.length === 0 || asked.some(([, ...parameters]) => parameters.every((each) => NO_OTHER_FORM.test(each)));
}

/** A weight, a character set as above, or a profile, which servers may ignore. */
const NO_OTHER_FORM = /^(?:q=.*|charset="?utf-8"?|profile=.*|)$/;

/** Whether a body is declared as JSON of either kind. */
export function isAnyJsonType(contentType: string | null): boolean {
  return isJsonApiType(contentType) || /^application\/json[ \t]*(?:;|$)/i.test(contentType ?? '');
}

/** What a document may hold (WIRE-20). */
const BOUNDS: StrictJsonOptions = { maxDepth: 32, maxMembers: 1000, refuseDuplicateKeys: true };

// `ignoreBOM` keeps a byte order mark in the text, where the JSON grammar refuses it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const TEXTS = {
  json_syntax: 'the document is not valid JSON',
  json_too_deep: `the document is nested deeper than ${BOUNDS.maxDepth} levels`,
  json_too_many_members: `the document holds more than ${BOUNDS.maxMembers} names and list items`,
  json_duplicate_key: 'a name occurs twice in one object of the document',
  json_forbidden_key: 'a name in the document is not allowed',
} as const;

export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON:API document of a request. @throws ProblemError 415, 422; AuthError `body_too_large`, `body_invalid` */
export async function readJsonApi({
  request,
  readBody,
}: {
  readonly request: Request;
  readBody(): Promise<Uint8Array>;
}): Promise<unknown> {
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
  const parsed = parseStrictJson(text, BOUNDS);
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

const instantOf = (at: number | null) => (at === null ? null : formatInstant(at));

/** Undefined where none of the three was given. */
export function kebabDetails({ reasonClass, replacement, sunsetAt }: DeprecationExtras): JsonObject | undefined {
  if (reasonClass === null && replacement === null && sunsetAt === null) return undefined;
  return { 'reason-class': reasonClass, replacement, sunset: instantOf(sunsetAt) };
}

/** Members beside a version's `deprecation`: none for one that is active, so that nothing is added to what clients know. */
export function snakeMembers({ deprecation, revocation }: VersionStatus): JsonObject {
  if (deprecation === null) return {};
  return {
    deprecation_details: snakeDetails(deprecation),
    ...(revocation === null ? {} : { revocation: noticeOf(revocation) }),
  };
}

function snakeDetails(deprecation: Deprecation): JsonObject {
  return {
    reason_class: deprecation.reasonClass,
    replacement: deprecation.replacement,
    sunset_at: instantOf(deprecation.sunsetAt),
    deprecated_at: formatInstant(deprecation.at),
    deprecated_by: deprecation.by,
    revised_at: instantOf(deprecation.revisedAt),
    revised_by: deprecation.revisedBy,
  };
}

/** One question, one answer: state, notices and details of a version. */
export function statusObject(status: VersionStatus): JsonObject {
  const { id, state, deprecation } = status;
  return { id, state, deprecation: noticeOf(deprecation), ...snakeMembers(status) };
}

/** What the specification calls `deprecation`: reason and link, texts or null, and nothing else. */
export function deprecationMember({ deprecation }: VersionStatus): Notice | null {
  return noticeOf(deprecation);
}
