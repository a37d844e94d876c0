/** Why a proof is refused, in the codes, statuses and words of AWS. */

export type SigV4RefusalCode =
  | 'MissingAuthenticationToken'
  | 'IncompleteSignature'
  | 'InvalidClientTokenId'
  | 'ExpiredToken'
  | 'RequestExpired'
  | 'SignatureDoesNotMatch';

/**
 * The rule that refused. AWS gives several of them one code: `SignatureDoesNotMatch` stands for a wrong signature, a wrong
 * scope and a wrong clock alike.
 */
export type SigV4RefusalReason =
  | 'no_proof'
  | 'malformed_proof'
  | 'malformed_date'
  | 'unknown_key'
  | 'wrong_session_token'
  | 'credentials_expired'
  | 'wrong_scope'
  | 'signature_expired'
  | 'signature_not_yet_current'
  | 'presigned_request_expired'
  | 'host_not_signed'
  | 'signed_header_missing'
  | 'content_hash_differs'
  | 'signature_differs';

export interface SigV4Refusal {
  readonly ok: false;
  readonly code: SigV4RefusalCode;
  readonly reason: SigV4RefusalReason;
  readonly status: 400 | 403;
  readonly message: string;
}

const BY_REASON: Readonly<Record<SigV4RefusalReason, readonly [SigV4RefusalCode, 400 | 403, string]>> = {
  no_proof: ['MissingAuthenticationToken', 403, 'Request is missing Authentication Token'],
  malformed_proof: ['IncompleteSignature', 400, 'The request signature does not conform to AWS standards.'],
  malformed_date: ['IncompleteSignature', 400, "Date must be in ISO-8601 'basic format'."],
  unknown_key: ['InvalidClientTokenId', 403, 'The security token included in the request is invalid.'],
  wrong_session_token: ['InvalidClientTokenId', 403, 'The security token included in the request is invalid.'],
  credentials_expired: ['ExpiredToken', 403, 'The security token included in the request is expired'],
  wrong_scope: ['SignatureDoesNotMatch', 403, 'Credential should be scoped to a valid date, region and service.'],
  signature_expired: ['SignatureDoesNotMatch', 403, 'Signature expired'],
  signature_not_yet_current: ['SignatureDoesNotMatch', 403, 'Signature not yet current'],
  presigned_request_expired: ['RequestExpired', 400, 'Request has expired.'],
  host_not_signed: ['SignatureDoesNotMatch', 403, "'Host' must be a 'SignedHeader' in the AWS Authorization."],
  signed_header_missing: ['SignatureDoesNotMatch', 403, 'A signed header is missing from the request.'],
  content_hash_differs: ['SignatureDoesNotMatch', 403, 'The content hash in the request is not that of its body.'],
  signature_differs: [
    'SignatureDoesNotMatch',
    403,
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and ' +
      'signing method. Consult the service documentation for details.',
  ],
};

export function refusal(reason: SigV4RefusalReason, message?: string): SigV4Refusal {
  const [code, status, text] = BY_REASON[reason];
  return { ok: false, code, reason, status, message: message ?? text };
}
