/**
 * From the headers that a client sent to those that go to STS (STS-5 to STS-7, THREAT-18, THREAT-21, THREAT-22):
 * every one of them is signed, or takes part in verifying the signature, and stands there once.
 */
import { encodeUtf8, equalConstantTime, lowerAscii } from '@postern/kernel';
import { unverified } from '../../errors.js';
import type { HeaderFields } from './header-forms.js';
import { type HeaderPolicy, isProviderHeader, shapeOfHeader, VERIFICATION_HEADERS } from './header-rules.js';
import { refuseHeader } from './refuse-request.js';
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

/** A parameter that is a header too has two values, and whoever verifies takes either. */
function refuseHeadersOfQuery(headers: HeaderFields, names: Iterable<string>): void {
  for (const name of names) {
    if (headers.has(lowerAscii(name))) throw refuseHeader('header_beside_query', name, 'repeated');
  }
}
