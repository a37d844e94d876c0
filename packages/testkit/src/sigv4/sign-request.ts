/** Signs requests with Signature Version 4: in the Authorization header, or in the query (a presigned request). */
import type { EpochMillis } from '@postern/ports';
import { amzDateText } from './amz-date.js';
import {
  canonicalRequest,
  scopeText,
  sha256Hex,
  signatureOf,
  signedNamesOf,
  stringToSign,
} from './canonical-request.js';
import { uriEncode } from './canonical-uri.js';
import {
  ALGORITHM,
  type PathRules,
  type SigningScope,
  type SigV4Credentials,
  type WireRequest,
} from './wire-request.js';

export interface SigningOptions extends PathRules {
  readonly credentials: SigV4Credentials;
  readonly region: string;
  readonly service: string;
  /** Instant that the request claims; fractions of a second are dropped. */
  readonly date: EpochMillis;
  /** Adds `X-Amz-Content-Sha256` to a header-signed request. */
  readonly addContentHash?: boolean;
  /** `unsigned` adds the session token after signing, as a few services want it. `signed` unless told. */
  readonly sessionToken?: 'signed' | 'unsigned';
}

/** A request with its signature, and the steps that led there. */
export interface SignedRequest extends WireRequest {
  readonly canonicalRequest: string;
  readonly stringToSign: string;
  readonly signature: string;
}

/**
 * Adds `X-Amz-Date`, the session token and `Authorization`. Every header that is there is signed: leave out what is to
 * travel unsigned, and add it to the result.
 */
export function signWithHeaders(request: WireRequest, options: SigningOptions): SignedRequest {
  const { sessionToken } = options.credentials;
  const tokenHeader = sessionToken === undefined ? [] : [['X-Amz-Security-Token', sessionToken] as const];
  const isTokenSigned = options.sessionToken !== 'unsigned';
  const signed: WireRequest = {
    ...request,
    headers: [
      ...request.headers,
      ['X-Amz-Date', amzDateText(options.date)],
      ...(options.addContentHash === true ? [['X-Amz-Content-Sha256', sha256Hex(request.body)] as const] : []),
      ...(isTokenSigned ? tokenHeader : []),
    ],
  };
  const names = signedNamesOf(signed.headers);
  const steps = signatureSteps(signed, names, options);
  const authorization =
    `${ALGORITHM} Credential=${options.credentials.accessKeyId}/${scopeText(scopeOf(options))}, ` +
    `SignedHeaders=${names.join(';')}, Signature=${steps.signature}`;
  return {
    ...signed,
    headers: [...signed.headers, ...(isTokenSigned ? [] : tokenHeader), ['Authorization', authorization]],
    ...steps,
  };
}

/**
 * Puts the proof into the query. Every header that is there is signed.
 *
 * @param options.expiresSeconds the `X-Amz-Expires` to write.
 */
export function presign(
  request: WireRequest,
  options: SigningOptions & { readonly expiresSeconds: number },
): SignedRequest {
  const { accessKeyId, sessionToken } = options.credentials;
  const names = signedNamesOf(request.headers);
  const tokenPair = sessionToken === undefined ? [] : [['X-Amz-Security-Token', sessionToken] as const];
  const isTokenSigned = options.sessionToken !== 'unsigned';
  const target = withQuery(request.target, [
    ['X-Amz-Algorithm', ALGORITHM],
    ['X-Amz-Credential', `${accessKeyId}/${scopeText(scopeOf(options))}`],
    ['X-Amz-Date', amzDateText(options.date)],
    ['X-Amz-Expires', String(options.expiresSeconds)],
    ...(isTokenSigned ? tokenPair : []),
    ['X-Amz-SignedHeaders', names.join(';')],
  ]);
  const steps = signatureSteps({ ...request, target }, names, options);
  return {
    ...request,
    target: withQuery(target, [...(isTokenSigned ? [] : tokenPair), ['X-Amz-Signature', steps.signature]]),
    ...steps,
  };
}

function signatureSteps(
  request: WireRequest,
  names: readonly string[],
  options: SigningOptions,
): Pick<SignedRequest, 'canonicalRequest' | 'stringToSign' | 'signature'> {
  const canonical = canonicalRequest(request, names, options);
  const scope = scopeOf(options);
  const toSign = stringToSign(amzDateText(options.date), scope, canonical);
  const signature = signatureOf(options.credentials.secretAccessKey, scope, toSign);
  return { canonicalRequest: canonical, stringToSign: toSign, signature };
}

function scopeOf({ date, region, service }: SigningOptions): SigningScope {
  return { date: amzDateText(date).slice(0, 8), region, service };
}

function withQuery(target: string, pairs: readonly (readonly [string, string])[]): string {
  const text = pairs.map(([name, value]) => `${name}=${uriEncode(value)}`).join('&');
  if (!target.includes('?')) return `${target}?${text}`;
  return `${target}${/[?&]$/.test(target) ? '' : '&'}${text}`;
}
