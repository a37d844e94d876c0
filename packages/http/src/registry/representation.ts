/**
 * The two ways in which the registry speaks (REGAPI-6, MODULE-9): JSON:API below `/api/v2`, plain JSON below
 * `/api/registry/v1`. They differ in content type and in how a problem looks.
 */
import type { Problem } from './problem.js';

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
