/**
 * The `iam_*` fields of a login as one signed request (STS-1, STS-3, THREAT-16, THREAT-19):
 * POST with one of two bodies, or a presigned GET. Syntax only: nothing here proves that anybody signed it.
 */
import { decodeBase64, decodeUtf8 } from '@postern/kernel';
import { unverified } from '../../errors.js';
import { type HeaderFields, parseHeaderFields } from './header-forms.js';
import { parseQuery, parseRequestUrl, type QueryFields } from './request-url.js';

const ACTION = 'GetCallerIdentity';
const VERSION = '2011-06-15';

/**
 * A signature covers the body's bytes, so both orders are legal, and no other spelling: a form has many (`+`, `%47`, `;`,
 * a second `action`), and two readers need not agree on one of them.
 */
const BODIES = [`Action=${ACTION}&Version=${VERSION}`, `Version=${VERSION}&Action=${ACTION}`] as const;

/** Longer than base64 of any legal body. */
const MAX_BODY_CHARACTERS = 256;

/** The fields of a login that make up a signed request. */
export interface SignedRequestFields {
  readonly method: string;
  /** Base64. */
  readonly url: string;
  /** Base64; absent with a signed GET. */
  readonly body: string | undefined;
  /** Text, object or array. */
  readonly headers: unknown;
}

interface SignedRequestParts {
  /** Of the URL: a known STS host, or the operator's own. The client signed it as `host`. */
  readonly host: string;
  /** As sent, legal or not. */
  readonly headers: HeaderFields;
}

export interface SignedPost extends SignedRequestParts {
  readonly method: 'POST';
  readonly body: (typeof BODIES)[number];
}

export interface PresignedGet extends SignedRequestParts {
  readonly method: 'GET';
  readonly query: QueryFields;
}

/** A request that asks STS who signed it, unverified. */
export type SignedRequest = SignedPost | PresignedGet;

/**
 * @param ownHost the operator's endpoint as a `Host`, where one is configured.
 * @throws AuthError `evidence_unverified`, reason `method_…`, `url_…`, `query_…`, `body_…`, `headers_…`.
 */
export function parseSignedRequest(fields: SignedRequestFields, ownHost: string | undefined): SignedRequest {
  const { method } = fields;
  if (method !== 'POST' && method !== 'GET') throw unverified('method_not_allowed');
  const { host, query } = parseRequestUrl(fields.url, ownHost);
  if (method === 'GET') {
    if (query === undefined) throw unverified('query_missing');
    const parameters = parseQuery(query);
    if (parameters.get('Action') !== ACTION) throw unverified('query_action');
    if (parameters.get('Version') !== VERSION) throw unverified('query_version');
    if (fields.body !== undefined && fields.body !== '') throw unverified('body_with_get');
    return { method, host, query: parameters, headers: parseHeaderFields(fields.headers) };
  }
  if (query !== undefined && query !== '') throw unverified('url_query');
  return { method, host, body: parseBody(fields.body ?? ''), headers: parseHeaderFields(fields.headers) };
}

function parseBody(encoded: string): (typeof BODIES)[number] {
  if (encoded.length > MAX_BODY_CHARACTERS) throw unverified('body_not_caller_identity');
  const bytes = decodeBase64(encoded);
  if (bytes === undefined) throw unverified('body_not_base64');
  const text = decodeUtf8(bytes);
  const body = BODIES.find((legal) => legal === text);
  if (body === undefined) throw unverified('body_not_caller_identity');
  return body;
}
