/**
 * Step one of an `iam` login: verifies the caller's signed request with the provider (LOGIN-4). The request that goes to STS is
 * made of checked parts (STS-8, THREAT-15, THREAT-17 to THREAT-19; the lesson of CVE-2020-16250: reconstruct, never validate and
 * forward). Whatever a client sent, the request has the operator's endpoint, path `/`, one action, one spelling of every parameter
 * and lower-case header names in one order.
 */

import { encodeUtf8 } from '@postern/kernel';
import type { CallerIdentityRequest, CallerIdentitySource, CallOptions, Clock, EpochMillis } from '@postern/ports';
import { callProvider } from '../../call-provider.js';
import { unverified } from '../../errors.js';
import type { ReplayCache, ReplayClaim } from './replay-cache.js';
import { encodePercent, type QueryFields } from './request-url.js';
import { formatAuthorization, parseSignatureFields, type SignatureFields } from './signature-fields.js';
import { checkServerIdValue, checkSignedNames, chooseHeaders, type HeaderPolicy } from './signed-headers.js';
import { parseSignedRequest, type SignedRequest, type SignedRequestFields } from './signed-request.js';
import { type CallerIdentity, judgeAnswer } from './sts-answer.js';
import { checkHostPartition, findStsTarget, ownHostOf, type StsTarget, type StsTargetConfig } from './sts-target.js';

/** What of the client configuration decides about signed requests; `DEFAULT_CLIENT_CONFIG` where none is stored (CONFIG-6). */
export interface CallerIdentityConfig extends StsTargetConfig {
  /** Empty: none is required. */
  readonly iamServerIdHeaderValue: string;
  readonly allowedStsHeaders: readonly string[];
}

/** The server-ID header as the specification names it; a wire profile may name another (STS-6). */
const SERVER_ID_HEADER = 'x-service-cloud-iam-server-id';

export interface CallerIdentityParts {
  readonly source: CallerIdentitySource;
  readonly config: CallerIdentityConfig;
  /** Default: that of the specification. */
  readonly serverIdHeader?: string | undefined;
  /** Without one, a request may log in as often as STS takes it (STS-14). */
  readonly replayCache?: ReplayCache | undefined;
  /** Without one, a request is as old as STS takes it (STS-17). */
  readonly maxAge?: MaxAge | undefined;
}

export interface MaxAge {
  readonly clock: Clock;
  readonly seconds: number;
}

/** A request that may go out, and what judging its answer needs. */
export interface PreparedRequest {
  readonly outgoing: CallerIdentityRequest;
  readonly signature: SignatureFields;
  readonly target: StsTarget;
}

/** Who signed a request. */
export interface VerifiedCaller extends CallerIdentity {
  /** Of its signature, where there is a replay cache. */
  readonly claim: ReplayClaim | undefined;
}

/**
 * Checks a signed request, has STS answer it, once, and reads who signed it.
 *
 * Proven: the holder of the principal's credentials signed this request, for this server where a server ID is configured.
 * Not proven: that the principal still exists, or that it may log in.
 *
 * @throws AuthError `evidence_unverified` with a reason, nothing having been sent unless it begins with `answer_` or
 *   `identity_`; `caller_identity_refused`; `provider_unavailable`, `provider_misconfigured`; `replay_cache_full`.
 * @example
 * ```ts
 * const config = stored ?? DEFAULT_CLIENT_CONFIG;
 * const { arn, accountId } = await verifyCallerIdentity({ source, config }, request, { signal });
 * ```
 */
export async function verifyCallerIdentity(
  { source, config, serverIdHeader, replayCache, maxAge }: CallerIdentityParts,
  fields: SignedRequestFields,
  { signal }: CallOptions,
): Promise<VerifiedCaller> {
  const { outgoing, signature, target } = prepareRequest(fields, config, serverIdHeader);
  if (maxAge !== undefined) checkAge(maxAge, signature.signedAt);
  const claim = replayCache?.claim(signature);
  try {
    const answer = async () => judgeAnswer(await source.send(outgoing, { signal }), target.partition);
    return { ...(await callProvider(answer)), claim };
  } catch (error) {
    claim?.release();
    throw error;
  }
}

/** By how much the clock of a client may be ahead of this one. */
const MAX_AHEAD_MS = 300_000;

function checkAge({ clock, seconds }: MaxAge, signedAt: EpochMillis): void {
  const ageMs = clock.now() - signedAt;
  if (ageMs > seconds * 1000) throw unverified('request_expired');
  if (ageMs < -MAX_AHEAD_MS) throw unverified('request_from_future');
}

/**
 * Everything before the network: parse, check, rebuild. Pure.
 *
 * @throws AuthError `evidence_unverified`, `provider_misconfigured`.
 */
export function prepareRequest(
  fields: SignedRequestFields,
  config: CallerIdentityConfig,
  serverIdHeader: string = SERVER_ID_HEADER,
): PreparedRequest {
  const policy: HeaderPolicy = {
    serverIdHeader,
    serverIdValue: config.iamServerIdHeaderValue,
    allowedHeaders: config.allowedStsHeaders,
  };
  const request = parseSignedRequest(fields, ownHostOf(config));
  checkServerIdValue(request, policy);
  const signature = parseSignatureFields(request);
  checkSignedNames(request, signature, policy);
  const headers = chooseHeaders(request, signature, policy);
  const target = findStsTarget(config, signature.region);
  checkHostPartition(request.host, target);
  return { outgoing: rebuildRequest({ request, signature, headers, target }), signature, target };
}

/** What a form is to STS; of a client that signed no content type of its own. */
const CONTENT_TYPE = 'application/x-www-form-urlencoded';

export interface CheckedParts {
  readonly request: SignedRequest;
  readonly signature: SignatureFields;
  /** By lower-case name, without `host`, `authorization` and `content-length`. */
  readonly headers: ReadonlyMap<string, string>;
  readonly target: StsTarget;
}

/** Pure: no part is looked at again. */
export function rebuildRequest({ request, signature, headers, target }: CheckedParts): CallerIdentityRequest {
  const { method, host } = request;
  const { endpoint } = target;
  if (method === 'GET') {
    const query = canonicalQuery(request.query);
    return { method, endpoint, target: `/?${query}`, headers: wireHeaders(host, headers), body: undefined };
  }
  const body = encodeUtf8(request.body);
  const all = new Map([
    ['content-type', CONTENT_TYPE],
    ...headers,
    ['authorization', formatAuthorization(signature)],
    ['content-length', String(body.length)],
  ]);
  return { method, endpoint, target: '/', headers: wireHeaders(host, all), body };
}

/** Sorted by name, as Signature Version 4 sorts a query before it is signed. */
function canonicalQuery(query: QueryFields): string {
  const pairs = [...query].sort(byName);
  return pairs.map(([name, value]) => `${name}=${encodePercent(value)}`).join('&');
}

/** `host` first, the others by name. */
function wireHeaders(host: string, headers: ReadonlyMap<string, string>): CallerIdentityRequest['headers'] {
  return [['host', host], ...[...headers].sort(byName)];
}

function byName([left]: readonly [string, string], [right]: readonly [string, string]): number {
  return left < right ? -1 : 1;
}
