/** What a write makes of the client configuration (CONFIG-1 to CONFIG-3). Pure; only sent fields change. */
import * as z from 'zod';
import { AuthError } from '../errors.js';
import { isHeaderName, mergeHeaderNames } from '../evidence/caller-identity/header-forms.js';
import { booleanField, described, integerField, listField, textField } from '../fields/fields.js';
import type { Shown } from '../operation.js';
import { type ClientConfig, DEFAULT_CLIENT_CONFIG } from './records.js';

export const clientFields = z.object({
  max_retries: described(integerField, 'Retries of recoverable errors; -1 for what the provider SDK does by itself.'),
  access_key: described(textField, 'Access key for calls to the provider.'),
  secret_key: described(textField, 'Secret of the access key. Write-only.'),
  endpoint: described(textField, 'URL instead of the generated compute endpoint.'),
  iam_endpoint: described(textField, 'URL instead of the generated IAM endpoint.'),
  sts_endpoint: described(textField, 'URL instead of the generated STS endpoint.'),
  sts_region: described(textField, 'Region of `sts_endpoint`.'),
  use_sts_region_from_client: described(booleanField, "Use the region in the client's request headers for STS."),
  iam_server_id_header_value: described(textField, 'Value that signed requests must carry; empty for none.'),
  allowed_sts_header_values: described(listField, 'Further headers that signed requests may carry.'),
});

export type ClientFields = z.output<typeof clientFields>;

/**
 * @throws AuthError `endpoint_invalid` for an endpoint that CONFIG-3 does not allow; `field_invalid` for retries
 *   below -1 and for an invalid header name.
 */
export function decideClientWrite(stored: ClientConfig | undefined, fields: ClientFields): ClientConfig {
  const base = stored ?? DEFAULT_CLIENT_CONFIG;
  for (const field of ['endpoint', 'iam_endpoint', 'sts_endpoint'] as const) {
    const endpoint = fields[field];
    if (endpoint !== undefined && endpoint !== '' && !isEndpoint(endpoint)) throw invalidEndpoint(field);
  }
  if (fields.max_retries !== undefined && fields.max_retries < -1) throw invalid('max_retries', '-1 or more');
  const headers = fields.allowed_sts_header_values;
  if (headers !== undefined && !headers.every(isHeaderName)) throw invalid('allowed_sts_header_values', 'header names');
  return {
    maxRetries: fields.max_retries ?? base.maxRetries,
    accessKey: fields.access_key ?? base.accessKey,
    secretKey: fields.secret_key ?? base.secretKey,
    endpoint: fields.endpoint ?? base.endpoint,
    iamEndpoint: fields.iam_endpoint ?? base.iamEndpoint,
    stsEndpoint: fields.sts_endpoint ?? base.stsEndpoint,
    stsRegion: fields.sts_region ?? base.stsRegion,
    useStsRegionFromClient: fields.use_sts_region_from_client ?? base.useStsRegionFromClient,
    iamServerIdHeaderValue: fields.iam_server_id_header_value ?? base.iamServerIdHeaderValue,
    allowedStsHeaders:
      headers === undefined ? base.allowedStsHeaders : mergeHeaderNames(base.allowedStsHeaders, headers),
  };
}

/** What `clientToWire` makes. */
export const clientOutput = z.object({
  access_key: z.string(),
  allowed_sts_header_values: z.array(z.string()),
  endpoint: z.string(),
  iam_endpoint: z.string(),
  iam_server_id_header_value: z.string(),
  max_retries: z.int(),
  sts_endpoint: z.string(),
  sts_region: z.string(),
  use_sts_region_from_client: z.boolean(),
});

/** All that can be written but the secret key (CONFIG-5). */
export function clientToWire(config: ClientConfig): Shown<typeof clientOutput> {
  return {
    access_key: config.accessKey,
    allowed_sts_header_values: config.allowedStsHeaders,
    endpoint: config.endpoint,
    iam_endpoint: config.iamEndpoint,
    iam_server_id_header_value: config.iamServerIdHeaderValue,
    max_retries: config.maxRetries,
    sts_endpoint: config.stsEndpoint,
    sts_region: config.stsRegion,
    use_sts_region_from_client: config.useStsRegionFromClient,
  };
}

function invalidEndpoint(field: string): AuthError {
  return new AuthError(
    'endpoint_invalid',
    `${field}: must be https, or http to a loopback address, without user info, query and fragment`,
    { details: { field } },
  );
}

function invalid(field: string, expected: string): AuthError {
  return new AuthError('field_invalid', `${field}: must be ${expected}`, { details: { field, expected } });
}

const MAX_ENDPOINT_CHARACTERS = 2048;

/**
 * Printable ASCII without what would make user info, query or fragment, and without the backslash, which URL readers
 * take for a slash: what is left means the same to every reader.
 */
const PLAIN = /^https?:\/\/[!-~]+$/i;
const FORBIDDEN = /[\\?#@]/;

/** `https`, or `http` to a loopback address; no user info, query or fragment. */
export function isEndpoint(text: string): boolean {
  if (text.length > MAX_ENDPOINT_CHARACTERS || !PLAIN.test(text) || FORBIDDEN.test(text)) return false;
  const url = parseUrl(text);
  if (url === undefined || url.hostname === '') return false;
  return url.protocol === 'https:' || isLoopback(url.hostname);
}

/** Of a parsed URL: numeric forms of IPv4 are dotted by now, IPv6 is in brackets and compressed. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
