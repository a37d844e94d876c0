/**
 * The two ways in which the registry speaks (REGAPI-6, MODULE-9): JSON:API below `/api/v2`, plain JSON below
 * `/api/registry/v1`. They differ in content type, in how a problem looks, and in the spelling of what the registry adds to
 * `deprecation` (REG-6): kebab-case in JSON:API, snake_case in plain JSON. Documents that callers send are read strictly and within
 * bounds (REGAPI-9, WIRE-20), members by pointer.
 */

import { isAuthError } from '@postern/core-auth';
import {
  type Deprecation,
  type DeprecationExtras,
  formatInstant,
  isRegistryError,
  type Notice,
  noticeOf,
  type RegistryError,
  type RegistryErrorKind,
  type VersionStatus,
} from '@postern/core-registry';
import { parseStrictJson, type StrictJsonOptions } from '@postern/kernel';

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

export interface Problem {
  readonly status: number;
  /** The same for every problem of its status. */
  readonly title: string;
  readonly detail: string;
  /** RFC 6901, from the root of the document that was sent. */
  readonly pointer?: string | undefined;
  /** Whole seconds. */
  readonly retryAfterSeconds?: number | undefined;
  /** Further headers that the answer needs. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Thrown where the transport itself refuses; what core refuses is a `RegistryError`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.problem = problem;
  }
}

/** HTTP status of each kind of registry error (REGAPI-7). */
export const STATUS_OF_KIND: Readonly<Record<RegistryErrorKind, number>> = {
  unauthorized: 401,
  not_found: 404,
  invalid: 422,
  conflict: 409,
  forbidden: 403,
  too_large: 413,
  unavailable: 503,
  internal: 500,
};

const TITLES: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  405: 'method not allowed',
  406: 'not acceptable',
  409: 'conflict',
  413: 'content too large',
  415: 'unsupported media type',
  422: 'invalid attribute',
  429: 'too many requests',
  500: 'internal error',
  503: 'service unavailable',
};

export function problemOf(status: number, detail: string, more: Omit<Problem, 'status' | 'title' | 'detail'> = {}) {
  return { status, title: TITLES[status] ?? 'error', detail, ...more } satisfies Problem;
}

/** One text for what is not there and for what is not the caller's: byte for byte (REG-8). */
export const NOT_FOUND: Problem = problemOf(404, 'it does not exist, or the organization is not authorized for it');

export const UNAUTHORIZED: Problem = problemOf(401, 'a valid bearer token is required', {
  headers: { 'www-authenticate': 'Bearer' },
});

const INTERNAL: Problem = problemOf(500, 'internal error');

/** Seconds after which to try again where the error itself does not say. */
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/**
 * Runs an operation whose input is read from the request. What the reader threw comes out unwrapped; a pointer into the
 * input becomes one into the document that was sent.
 */
export async function fromDocument<T>(
  operation: Promise<T>,
  pointerOf: (pointer: string) => string = (pointer) => pointer,
): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    if (!isRegistryError(error) || error.kind !== 'invalid') throw error;
    if (error.code === 'input_invalid' && error.cause !== undefined) throw error.cause;
    const { pointer } = error;
    const inDocument = pointer === undefined ? undefined : pointerOf(pointer);
    throw new ProblemError(problemOf(422, error.message, { pointer: inDocument }), { cause: error });
  }
}

/** What an error is answered with. An unknown error is a bug: its text is not revealed. */
export function problemOfError(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (isRegistryError(error)) return ofRegistryError(error);
  if (isAuthError(error) && error.code === 'server_busy') {
    return problemOf(503, error.message, { retryAfterSeconds: error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS });
  }
  if (isAuthError(error) && error.code === 'body_too_large') return problemOf(413, error.message);
  if (isAuthError(error) && error.code === 'body_invalid') return problemOf(422, error.message, { pointer: '' });
  return INTERNAL;
}

function ofRegistryError(error: RegistryError): Problem {
  switch (error.kind) {
    case 'unauthorized':
      return UNAUTHORIZED;
    case 'not_found':
      return NOT_FOUND;
    case 'internal':
      return INTERNAL;
    case 'invalid':
      return problemOf(STATUS_OF_KIND.invalid, error.message, { pointer: error.pointer });
    case 'unavailable':
      return problemOf(STATUS_OF_KIND.unavailable, error.message, {
        retryAfterSeconds: Math.max(1, Math.ceil(error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS)),
      });
    default:
      return problemOf(STATUS_OF_KIND[error.kind], error.message);
  }
}
