/**
 * From the headers that a client sent to those that go to STS (STS-5 to STS-7, THREAT-15, THREAT-18, THREAT-21, THREAT-22):
 * each is listed or configured, signed or part of verifying the signature, and sent once. A request that signed another
 * header is rejected by its name: without that header its signature could not hold.
 */
import { encodeUtf8, equalConstantTime, lowerAscii } from '@postern/kernel';
import { AuthError, unverified } from '../../errors.js';
import { canonicalHeaderName, type HeaderFields } from './header-forms.js';
import type { SignatureFields } from './signature-fields.js';
import type { SignedRequest } from './signed-request.js';

/**
 * The server-ID header is there once and has the configured value. Without a configured value there is nothing to check.
 *
 * @throws AuthError `evidence_unverified`, reason `server_id_missing`, `server_id_mismatch`.
 */
export function checkServerIdValue({ headers }: SignedRequest, policy: HeaderPolicy): void {
  if (policy.serverIdValue === '') return;
  const values = headers.get(lowerAscii(policy.serverIdHeader)) ?? [];
  const [value] = values;
  if (value === undefined) throw refuseHeader('server_id_missing', policy.serverIdHeader, 'missing');
  const isEqual = equalConstantTime(encodeUtf8(value), encodeUtf8(policy.serverIdValue));
  if (values.length > 1 || !isEqual) throw unverified('server_id_mismatch');
}

/**
 * The signature covers the host, and the server ID where one is required.
 *
 * @throws AuthError `evidence_unverified`, reason `host_unsigned`, `host_mismatch`, `server_id_unsigned`.
 */
export function checkSignedNames(request: SignedRequest, signature: SignatureFields, policy: HeaderPolicy): void {
  const { headers, host } = request;
  if (!signature.signedHeaders.includes('host')) throw refuseHeader('host_unsigned', 'host', 'not signed');
  const hosts = headers.get('host') ?? [host];
  if (hosts.length !== 1 || hosts[0] !== host) throw unverified('host_mismatch');
  const serverId = lowerAscii(policy.serverIdHeader);
  if (policy.serverIdValue !== '' && !signature.signedHeaders.includes(serverId)) {
    throw refuseHeader('server_id_unsigned', serverId, 'not signed');
  }
}

/**
 * The client's headers that go to STS, by lower-case name; `host`, `authorization` and `content-length` are not among
 * them: those are made, not copied.
 *
 * @throws AuthError `evidence_unverified`, reason `header_…`, with the header's name as a public detail.
 */
export function chooseHeaders(
  request: SignedRequest,
  signature: SignatureFields,
  policy: HeaderPolicy,
): ReadonlyMap<string, string> {
  const { headers } = request;
  for (const name of headers.keys()) if (isProviderHeader(name)) checkHeader(name, headers, policy);
  if (request.method === 'GET') refuseHeadersOfQuery(headers, request.query.keys());

  const chosen = new Map<string, string>();
  for (const name of signature.signedHeaders) {
    if (name === 'host' || (name === 'content-length' && request.method === 'POST')) continue;
    chosen.set(name, checkHeader(name, headers, policy));
  }
  for (const name of VERIFICATION_HEADERS) if (headers.has(name)) chosen.set(name, checkHeader(name, headers, policy));
  return chosen;
}

function checkHeader(name: string, headers: HeaderFields, policy: HeaderPolicy): string {
  const shape = shapeOfHeader(name, policy);
  if (shape === undefined) throw refuseHeader('header_not_allowed', name, 'not allowed');
  const [value, ...others] = headers.get(name) ?? [];
  if (value === undefined) throw refuseHeader('header_signed_but_missing', name, 'missing');
  if (others.length > 0) throw refuseHeader('header_repeated', name, 'repeated');
  if (!shape.test(value)) throw refuseHeader('header_value_invalid', name, 'not acceptable');
  return value;
}

/** A parameter that is a header too has two values, and a verifier may take either. */
function refuseHeadersOfQuery(headers: HeaderFields, names: Iterable<string>): void {
  for (const name of names) {
    if (headers.has(lowerAscii(name))) throw refuseHeader('header_beside_query', name, 'repeated');
  }
}

/** Printable, visible at both ends: as one reader trims, so do all. */
const TEXT = /^[!-~](?:[ -~]{0,1022}[!-~])?$/;
const DATE = /^\d{8}T\d{6}Z$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** What SDKs add to a GetCallerIdentity request and STS expects. Always allowed. */
const PROVIDER_HEADERS: ReadonlyMap<string, RegExp> = new Map([
  ['x-amz-algorithm', /^AWS4-HMAC-SHA256$/],
  ['x-amz-content-sha256', DIGEST],
  ['x-amz-credential', /^[\w/-]{1,256}$/],
  ['x-amz-date', DATE],
  ['x-amz-security-token', /^[!-~]{1,8192}$/],
  ['x-amz-signature', DIGEST],
  ['x-amz-signedheaders', /^[!-~]{1,1024}$/],
  ['x-amz-user-agent', TEXT],
]);

/** Other headers that SDKs sign: Java signs its user agent and retry headers, Go the length, some the encoding. */
const CLIENT_HEADERS: ReadonlyMap<string, RegExp> = new Map([
  ['accept-encoding', /^identity$/],
  ['amz-sdk-invocation-id', /^[\w-]{1,64}$/],
  ['amz-sdk-request', TEXT],
  ['amz-sdk-retry', TEXT],
  ['content-type', /^application\/x-www-form-urlencoded(?:; ?charset=(?:utf-8|UTF-8))?$/],
  ['user-agent', TEXT],
]);

/** Not even an operator allows these: they choose format, action or route, or are the connection's own. */
const NEVER: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-language',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-location',
  'content-range',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'max-forwards',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-amz-target',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
]);
const NEVER_PREFIXES = ['proxy-', 'x-forwarded-', 'if-'] as const;

/** Beside the signed headers, those that take part in verifying a signature: forwarded whether signed or not. */
export const VERIFICATION_HEADERS = ['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'] as const;

/** What the configuration and the wire profile add to the lists above. */
export interface HeaderPolicy {
  /** Name of the server-ID header, in any case (STS-6: each wire profile has its own). */
  readonly serverIdHeader: string;
  /** Its required value; empty for none (STS-6). */
  readonly serverIdValue: string;
  /** Further names, in any case (CONFIG-4). */
  readonly allowedHeaders: readonly string[];
}

/** Names by which this family of headers is judged whether signed or not. */
export function isProviderHeader(name: string): boolean {
  return name.startsWith('x-amz-');
}

/** The shape that the value of a header must have, or undefined where the header is not allowed at all. */
export function shapeOfHeader(name: string, policy: HeaderPolicy): RegExp | undefined {
  if (NEVER.has(name) || NEVER_PREFIXES.some((prefix) => name.startsWith(prefix))) return undefined;
  const shape = PROVIDER_HEADERS.get(name) ?? CLIENT_HEADERS.get(name);
  if (shape !== undefined) return shape;
  const added = [policy.serverIdHeader, ...policy.allowedHeaders];
  return added.some((allowed) => lowerAscii(allowed) === name) ? TEXT : undefined;
}

type HeaderProblem = 'not allowed' | 'not acceptable' | 'missing' | 'not signed' | 'repeated';

/** @param name a header name: a token of at most 256 characters. */
export function refuseHeader(reason: string, name: string, problem: HeaderProblem): AuthError {
  const header = canonicalHeaderName(name);
  return new AuthError(
    'evidence_unverified',
    `the proof of identity could not be verified: header ${header} is ${problem}`,
    { reason, details: { header, problem } },
  );
}
