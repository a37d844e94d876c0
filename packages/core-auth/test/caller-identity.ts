/** What tests of signed requests stand on: a cloud with a user and a role, an STS that verifies, and a request to alter. */
import {
  type CallerIdentityFields,
  callerIdentityFields,
  createFakeCloud,
  createManualClock,
  type HeaderList,
  type SignCallerIdentityOptions,
  type SignedCallerIdentity,
  signCallerIdentityRequest,
} from '@postern/testkit';
import { DEFAULT_CLIENT_CONFIG } from '../src/config/records.js';
import type { SignedRequestFields } from '../src/evidence/caller-identity/signed-request.js';
import {
  type CallerIdentityConfig,
  type CallerIdentityParts,
  type PreparedRequest,
  prepareRequest,
  verifyCallerIdentity,
} from '../src/evidence/caller-identity/verify-caller-identity.js';
import { refusalOf } from './refusal.js';

export const SIGNED_AT = Date.UTC(2026, 10, 21, 9, 30);
export const AMZ_DATE = '20261121T093000Z';
export const SERVER_ID = 'postern.example.org';
export const SERVER_ID_HEADER = 'X-Service-Cloud-IAM-Server-ID';
export const POST_BODY = 'Action=GetCallerIdentity&Version=2011-06-15';
export const SIGNATURE = '0123456789abcdef'.repeat(4);
export const CREDENTIAL = 'AKIDEXAMPLE/20261121/us-east-1/sts/aws4_request';

export const clock = createManualClock(SIGNED_AT);
export const cloud = createFakeCloud({ clock, seed: 'caller-identity', ownAccountId: '111111111111' });
export const { sts } = cloud;
export const user = cloud.createUser({ name: 'Bob', path: '/path/' });
export const role = cloud.createRole({ name: 'deploy' });
export const userKey = sts.issueAccessKey(user);
export const session = sts.assumeRole(role, { sessionName: 'build-17' });

export const base64 = (data: string | Uint8Array): string => Buffer.from(data).toString('base64');

export function configured(config: Partial<CallerIdentityConfig> = {}): CallerIdentityConfig {
  return { ...DEFAULT_CLIENT_CONFIG, ...config };
}

/** A request that the fake STS takes, before it is encoded. */
export function signed(options: Partial<SignCallerIdentityOptions> = {}): SignedCallerIdentity {
  return signCallerIdentityRequest({ credentials: userKey, date: clock.now(), ...options });
}

/** As the login hands it on. */
export function fieldsOf(fields: CallerIdentityFields): SignedRequestFields {
  return {
    method: fields.iam_http_request_method,
    url: fields.iam_request_url,
    body: fields.iam_request_body,
    headers: fields.iam_request_headers,
  };
}

export function login(options: Partial<SignCallerIdentityOptions> = {}): SignedRequestFields {
  return fieldsOf(callerIdentityFields(signed(options), options.headersForm));
}

/** A well-formed POST whose signature holds for nobody: for what is decided before STS is asked. */
export function unsignedPost(
  headers: Readonly<Record<string, unknown>> = {},
  more: Partial<SignedRequestFields> = {},
): SignedRequestFields {
  return {
    method: 'POST',
    url: base64('https://sts.amazonaws.com/'),
    body: base64(POST_BODY),
    headers: { 'X-Amz-Date': AMZ_DATE, Authorization: authorization(['host', 'x-amz-date']), ...headers },
    ...more,
  };
}

export function authorization(signedHeaders: readonly string[], credential = CREDENTIAL): string {
  return `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signedHeaders.join(';')}, Signature=${SIGNATURE}`;
}

/** A well-formed presigned GET, with parameters replaced, or removed where undefined. */
export function unsignedGet(
  parameters: Readonly<Record<string, string | undefined>> = {},
  headers: unknown = {},
): SignedRequestFields {
  const all: Record<string, string | undefined> = {
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': encodeURIComponent(CREDENTIAL),
    'X-Amz-Date': AMZ_DATE,
    'X-Amz-Expires': '900',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': SIGNATURE,
    ...parameters,
  };
  const query = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return { method: 'GET', url: base64(`https://sts.amazonaws.com/?${query.join('&')}`), body: undefined, headers };
}

export function prepare(
  fields: SignedRequestFields,
  config: Partial<CallerIdentityConfig> = {},
  serverIdHeader?: string,
): PreparedRequest {
  return prepareRequest(fields, configured(config), serverIdHeader);
}

/** Reason for which a request is refused before anything is sent; `accepted` where it may go out. */
export function verdict(
  fields: SignedRequestFields,
  config: Partial<CallerIdentityConfig> = {},
): Promise<string | undefined> {
  return refusalOf(() => prepare(fields, config));
}

export function headersOf(fields: SignedRequestFields, config: Partial<CallerIdentityConfig> = {}): HeaderList {
  return prepare(fields, config).outgoing.headers;
}

export function verify(
  fields: SignedRequestFields,
  config: Partial<CallerIdentityConfig> = {},
  parts: Partial<CallerIdentityParts> = {},
) {
  return verifyCallerIdentity({ source: sts.source, config: configured(config), ...parts }, fields, {});
}
