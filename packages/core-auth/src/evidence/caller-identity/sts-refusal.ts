/**
 * What a 4xx of STS means (ERROR-5, ERROR-4, STS-12). A refusal is a denial; a throttled call is not, whatever its status.
 * Of the provider's words only an error code of this list comes through, with a hint added here: its messages hold what the
 * client sent (THREAT-15), and clients are left guessing without any (their clock, most of the time).
 */
import { AuthError } from '../../errors.js';
import type { XmlElement } from './xml-reader.js';

const HINTS: ReadonlyMap<string, string> = new Map([
  ['AccessDenied', 'a policy denies the principal its own identity'],
  ['ExpiredToken', 'the session of the caller has expired'],
  ['ExpiredTokenException', 'the session of the caller has expired'],
  ['IncompleteSignature', 'the request was not signed in full'],
  ['InvalidClientTokenId', 'the provider does not know the access key: is it of this partition, and still active?'],
  ['MissingAuthenticationToken', 'the request was not signed'],
  ['OptInRequired', 'the account is not enabled for the region'],
  ['RequestExpired', "the request is too old: compare the caller's clock with the true time"],
  ['SignatureDoesNotMatch', "the signature does not hold: check the caller's clock, host, region and signed headers"],
]);

const THROTTLING: ReadonlySet<string> = new Set([
  'RequestLimitExceeded',
  'RequestThrottled',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

/** `RequestExpired` → `sts_request_expired`. */
const CAPITAL = /(?!^)[A-Z]/g;

/** The error code of an answer, or undefined where it is not an error of STS. */
export function errorCodeOf(root: XmlElement | undefined): string | undefined {
  if (root?.name !== 'ErrorResponse' || !root.attributes.every(isNamespace)) return undefined;
  const errors = root.children.filter(({ name }) => name === 'Error');
  const codes = errors.flatMap(({ children }) => children.filter(({ name }) => name === 'Code'));
  return errors.length === 1 && codes.length === 1 ? codes[0]?.text : undefined;
}

/** Whether an error code says "too many calls" and nothing about the caller. */
export function isThrottling(code: string | undefined): boolean {
  return code !== undefined && THROTTLING.has(code);
}

/** @param code as STS said; unknown ones are not passed on. */
export function callerRefused(code: string | undefined): AuthError {
  const hint = code === undefined ? undefined : HINTS.get(code);
  const text = 'the provider refused the signed request';
  if (code === undefined || hint === undefined) {
    return new AuthError('caller_identity_refused', text, { reason: 'sts_refused' });
  }
  const reason = `sts_${code.replace(CAPITAL, (letter) => `_${letter}`).toLowerCase()}`;
  return new AuthError('caller_identity_refused', `${text}: ${hint}`, {
    reason,
    details: { provider_code: code, hint },
  });
}

function isNamespace([name, value]: readonly [string, string]): boolean {
  return name === 'xmlns' && value === STS_NAMESPACE;
}

/** The XML namespace of every answer of STS (STS-11). */
export const STS_NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';
