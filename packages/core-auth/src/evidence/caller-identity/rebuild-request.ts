/**
 * The request that goes to STS, made anew from checked parts (STS-8, THREAT-15, THREAT-17 to THREAT-19; the lesson of
 * CVE-2020-16250: reconstruct, never validate and forward). Whatever a client sent, what leaves is: the operator's
 * endpoint, path `/`, one action, one spelling of every parameter, lower-case header names in one order.
 */

import { encodeUtf8 } from '@postern/kernel';
import type { CallerIdentityRequest } from '@postern/ports';
import { encodePercent, type QueryFields } from './request-url.js';
import { formatAuthorization, type SignatureFields } from './signature-fields.js';
import type { SignedRequest } from './signed-request.js';
import type { StsTarget } from './sts-target.js';

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
