/**
 * Which headers a signed request may carry to STS, and what may stand in them (STS-5, THREAT-15, THREAT-18, THREAT-22).
 * A request that signed a header which is not listed here or configured is refused by name: without
 * that header its signature could not hold.
 */
import { lowerAscii } from '@postern/kernel';

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

/** The shape that the value of a header must have, or undefined where the header may not be sent at all. */
export function shapeOfHeader(name: string, policy: HeaderPolicy): RegExp | undefined {
  if (NEVER.has(name) || NEVER_PREFIXES.some((prefix) => name.startsWith(prefix))) return undefined;
  const shape = PROVIDER_HEADERS.get(name) ?? CLIENT_HEADERS.get(name);
  if (shape !== undefined) return shape;
  const added = [policy.serverIdHeader, ...policy.allowedHeaders];
  return added.some((allowed) => lowerAscii(allowed) === name) ? TEXT : undefined;
}
