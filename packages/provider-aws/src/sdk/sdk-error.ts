/**
 * What a failed call means (PROVIDER-5): `denied`, `misconfigured` or `unavailable`, never "there is none". By the
 * provider's error code alone: its text never leaves here, and neither does the SDK's error, which carries the answer.
 */
import { isProviderError, ProviderError, type ProviderErrorCode } from '@postern/ports';
import { parseRetryAfter } from '../transport/retry-after.js';
import { TransportError } from '../transport/transport-error.js';
import { RETRY_AFTER_SECONDS } from '../waiting.js';

/** Our credentials are good, and may not do this. */
const DENIED = new Set([
  'AccessDenied',
  'UnauthorizedOperation',
  // Two access keys are all that a user may have.
  'LimitExceeded',
]);

/** Our credentials are none, or the configuration asks for something that can't be. */
const MISCONFIGURED = new Set([
  'AuthFailure',
  'CredentialsProviderError',
  'ExpiredToken',
  'IDPRejectedClaim',
  'IncompleteSignature',
  'InvalidAccessKeyId',
  'InvalidAction',
  'InvalidClientTokenId',
  'InvalidIdentityToken',
  'InvalidSignature',
  'MissingAuthenticationToken',
  'OptInRequired',
  'RegionDisabled',
  'RequestExpired',
  'SignatureDoesNotMatch',
  'TokenProviderError',
  'UnrecognizedClient',
  'ValidationError',
]);

/** The provider is there, and has had enough of us. */
const THROTTLED = new Set([
  'BandwidthLimitExceeded',
  'EC2Throttled',
  'PriorRequestNotComplete',
  'RequestLimitExceeded',
  'RequestThrottled',
  'SlowDown',
  'Throttled',
  'Throttling',
  'TooManyRequests',
]);

/** Credentials that the provider takes no longer, or not yet. */
const REFUSED_CREDENTIALS = new Set([
  'AuthFailure',
  'ExpiredToken',
  'InvalidAccessKeyId',
  'InvalidClientTokenId',
  'SignatureDoesNotMatch',
  'UnrecognizedClient',
]);

/**
 * The provider's error code, or undefined where the failure carries none. The SDK names some codes with `Exception` behind
 * them and some without: here they are without.
 */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !/^[A-Za-z0-9_.]{1,64}$/.test(error.name)) return undefined;
  return error.name.replace(/(?<=.)Exception$/, '');
}

/** Whether the provider does not take the credentials of the call. */
export function refusesCredentials(error: unknown): boolean {
  return REFUSED_CREDENTIALS.has(errorCodeOf(error) ?? '');
}

/**
 * @param what names the call in the operator's log: `EC2 DescribeInstances`
 * @param now for a date in Retry-After, epoch milliseconds
 */
export function toProviderError(error: unknown, what: string, now: number): ProviderError {
  if (isProviderError(error)) return error;
  if (error instanceof TransportError) {
    const options = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    return new ProviderError('unavailable', `${what}: ${error.kind}, ${error.message}`, options);
  }
  const code = errorCodeOf(error) ?? 'unknown error';
  const status = statusOf(error);
  const message = `${what}: ${code}${status === undefined ? '' : ` (${status})`}`;
  const facts = { cloudCode: errorCodeOf(error), cloudRequestId: requestIdOf(error) };
  const meaning = meaningOf(code, status);
  if (meaning !== 'unavailable') return new ProviderError(meaning, message, facts);
  const isThrottling = isThrottled(code, status);
  const retryAfterSeconds = parseRetryAfter(retryAfterOf(error), now) ?? (isThrottling ? 1 : RETRY_AFTER_SECONDS);
  const failure = new ProviderError('unavailable', message, { ...facts, retryAfterSeconds });
  if (isThrottling) throttlings.add(failure);
  return failure;
}

const throttlings = new WeakSet<ProviderError>();

/** Whether the provider had had enough of us. */
export function wasThrottled(error: unknown): boolean {
  return error instanceof ProviderError && throttlings.has(error);
}

function meaningOf(code: string, status: number | undefined): ProviderErrorCode {
  if (isThrottled(code, status) || (status !== undefined && status >= 500)) return 'unavailable';
  if (DENIED.has(code)) return 'denied';
  return MISCONFIGURED.has(code) ? 'misconfigured' : 'unavailable';
}

function isThrottled(code: string, status: number | undefined): boolean {
  return status === 429 || THROTTLED.has(code);
}

function statusOf(error: unknown): number | undefined {
  const status =
    member(member(error, '$metadata'), 'httpStatusCode') ?? member(member(error, '$response'), 'statusCode');
  return typeof status === 'number' ? status : undefined;
}

/** It comes from the answer: only in the form that such ids have. */
function requestIdOf(error: unknown): string | undefined {
  const id = member(member(error, '$metadata'), 'requestId');
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}

function retryAfterOf(error: unknown): string | undefined {
  const header = member(member(member(error, '$response'), 'headers'), 'retry-after');
  return typeof header === 'string' ? header : undefined;
}

function member(value: unknown, name: string): unknown {
  // An error of the SDK is a record of members that its types do not tell.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
