/**
 * Every code that an answer or an audit event of the registry may carry, with its kind (REGAPI-7). Codes are stable:
 * clients and dashboards match on them.
 */

/**
 * `unauthorized`: missing or invalid token. `not_found`: missing, or not visible to this caller. `invalid`: fix the request.
 * `conflict`: what is there does not allow it. `forbidden`: revoked. `too_large`: more bytes than allowed.
 * `unavailable`: a dependency failed, try again. `internal`: a bug in the registry.
 */
export type RegistryErrorKind =
  | 'unauthorized'
  | 'not_found'
  | 'invalid'
  | 'conflict'
  | 'forbidden'
  | 'too_large'
  | 'unavailable'
  | 'internal';

export const REGISTRY_ERROR_KINDS = {
  unauthorized: 'unauthorized',
  not_found: 'not_found',

  input_invalid: 'invalid',
  range_too_wide: 'invalid',

  revoke_not_deprecated: 'conflict',
  reinstate_revoked: 'conflict',
  download_revoked: 'forbidden',

  version_exists: 'conflict',
  quota_exceeded: 'conflict',
  archive_too_large: 'too_large',
  archive_refused: 'invalid',

  provider_unavailable: 'unavailable',
  storage_unavailable: 'unavailable',
  storage_outcome_unknown: 'unavailable',
  storage_contended: 'unavailable',
  record_newer: 'unavailable',
  audit_unavailable: 'unavailable',
  aborted: 'unavailable',
  internal: 'internal',
} as const satisfies Record<string, RegistryErrorKind>;

export type RegistryErrorCode = keyof typeof REGISTRY_ERROR_KINDS;
