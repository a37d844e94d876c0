/**
 * Refusals of a signed request, all before anything is proven: one code and one text, a reason for the audit event
 * (ERROR-3). What a caller may be told besides is the name of a header that it sent or must send, never a value
 * (THREAT-22: clients broke on silent header lists).
 */
import { canonicalHeaderName } from '../../config/header-names.js';
import { AuthError } from '../../errors.js';

type HeaderProblem = 'not allowed' | 'not acceptable' | 'missing' | 'not signed' | 'repeated';

/** @param name a header name: a token of at most 256 characters. */
export function refuseHeader(reason: string, name: string, problem: HeaderProblem): AuthError {
  const header = canonicalHeaderName(name);
  return new AuthError(
    'evidence_unverified',
    `the proof of identity could not be verified: header ${header} is ${problem}`,
    { reason, details: { header, problem } },
  );
}
