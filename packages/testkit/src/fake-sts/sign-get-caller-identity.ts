/**
 * The client's side of an `iam` login: a GetCallerIdentity request, signed and not sent, as the four fields of the login
 * (STS-1), in each of the forms that clients send.
 */
import type { EpochMillis } from '@postern/ports';
import { presign, signWithHeaders } from '../sigv4/sign-request.js';
import type { HeaderList, SigV4Credentials, WireRequest } from '../sigv4/wire-request.js';
import { regionOfStsHost, stsHostOf } from './sts-hosts.js';

/**
 * `base64`: base64 of JSON, name to array of values. `json`: that JSON as text. `object`: name to value, or to an array
 * where there are several. `list`: `Name:value` strings.
 */
export type HeadersForm = 'base64' | 'json' | 'object' | 'list';

export interface CallerIdentityFields {
  readonly iam_http_request_method: 'POST' | 'GET';
  /** Base64. */
  readonly iam_request_url: string;
  /** Base64; a GET has none. */
  readonly iam_request_body?: string;
  readonly iam_request_headers: string | Readonly<Record<string, string | readonly string[]>> | readonly string[];
}

export interface SignCallerIdentityOptions {
  readonly credentials: SigV4Credentials;
  /** Instant of signing. */
  readonly date: EpochMillis;
  /** `POST` unless told. */
  readonly method?: 'POST' | 'GET';
  /** Region of the scope, and of the host unless that is given. Without it: the global endpoint, `us-east-1`. */
  readonly region?: string;
  readonly host?: string;
  /** Value of the server-ID header, which is then signed. */
  readonly serverId?: string;
  /** Name of that header; `X-Service-Cloud-IAM-Server-ID` unless told. */
  readonly headerName?: string;
  /** Further headers that are signed. */
  readonly extraHeaders?: HeaderList;
  /** Headers that are sent and not signed. */
  readonly unsignedHeaders?: HeaderList;
  /** GET only; 900 unless told. */
  readonly expiresSeconds?: number;
  /** `base64` unless told. */
  readonly headersForm?: HeadersForm;
  /** Another query string than the one action and version; for a POST, the body. */
  readonly parameters?: string;
}

const PARAMETERS = 'Action=GetCallerIdentity&Version=2011-06-15';

/** A signed request and the URL that it would go to. */
export interface SignedCallerIdentity extends WireRequest {
  readonly method: 'POST' | 'GET';
  readonly url: string;
}

/** Signs the request; nothing is encoded yet, so that a test can alter what it likes. */
export function signCallerIdentityRequest(options: SignCallerIdentityOptions): SignedCallerIdentity {
  const { credentials, date, method = 'POST', parameters = PARAMETERS, unsignedHeaders = [] } = options;
  const host = options.host ?? stsHostOf(options.region);
  const region = options.region ?? regionOfStsHost(host) ?? 'us-east-1';
  const how = { credentials, region, service: 'sts', date };
  const ownHeaders: HeaderList = [
    ...(options.serverId === undefined
      ? []
      : [[options.headerName ?? 'X-Service-Cloud-IAM-Server-ID', options.serverId] as const]),
    ...(options.extraHeaders ?? []),
  ];
  const body = new TextEncoder().encode(parameters);
  const signed =
    method === 'GET'
      ? presign(
          { method, target: `/?${parameters}`, headers: [['Host', host], ...ownHeaders], body: undefined },
          { ...how, expiresSeconds: options.expiresSeconds ?? 900 },
        )
      : signWithHeaders(
          {
            method,
            target: '/',
            headers: [
              ['Host', host],
              ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
              ['Content-Length', String(body.length)],
              ...ownHeaders,
            ],
            body,
          },
          how,
        );
  return {
    method,
    url: `https://${host}${signed.target}`,
    target: signed.target,
    headers: [...signed.headers, ...unsignedHeaders],
    body: signed.body,
  };
}

/**
 * The four login fields of a signed GetCallerIdentity request.
 *
 * @example
 * const credentials = sts.assumeRole(role, { sessionName: 'build' });
 * const fields = signGetCallerIdentity({ credentials, date: clock.now(), serverId: 'postern.example.org' });
 */
export function signGetCallerIdentity(options: SignCallerIdentityOptions): CallerIdentityFields {
  return callerIdentityFields(signCallerIdentityRequest(options), options.headersForm);
}

/** The login fields of a request, altered or not. */
export function callerIdentityFields(
  { method, url, body, headers }: SignedCallerIdentity,
  form: HeadersForm = 'base64',
): CallerIdentityFields {
  return {
    iam_http_request_method: method,
    iam_request_url: base64(url),
    ...(body === undefined ? {} : { iam_request_body: base64(body) }),
    iam_request_headers: encodedHeaders(headers, form),
  };
}

function encodedHeaders(headers: HeaderList, form: HeadersForm): CallerIdentityFields['iam_request_headers'] {
  if (form === 'list') return headers.map(([name, value]) => `${name}:${value}`);
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) values.set(name, [...(values.get(name) ?? []), value]);
  if (form === 'object') {
    return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]));
  }
  const json = JSON.stringify(Object.fromEntries(values));
  return form === 'json' ? json : base64(json);
}

function base64(data: string | Uint8Array): string {
  return Buffer.from(data).toString('base64');
}
