/**
 * Every code that an answer or an audit event of the registry may carry, with its kind, and the status of each kind
 * (REGAPI-7). Codes are stable: clients and dashboards match on them.
 */

/**
 * `unauthorized`: no token, or a wrong one. `not_found`: nothing there, or not for this caller. `invalid`: fix the
 * request. `conflict`: the version's state does not allow it. `forbidden`: revoked. `too_large`: more bytes than are taken. `unavailable`: could not find out,
 * try again. `internal`: a defect of ours.
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
  archive_too_large: 'too_large',
  archive_refused: 'invalid',

  provider_unavailable: 'unavailable',
  storage_unavailable: 'unavailable',
  storage_outcome_unknown: 'unavailable',
  storage_contended: 'unavailable',
  audit_unavailable: 'unavailable',
  aborted: 'unavailable',
  internal: 'internal',
} as const satisfies Record<string, RegistryErrorKind>;

export type RegistryErrorCode = keyof typeof REGISTRY_ERROR_KINDS;

/** HTTP status of each kind (REGAPI-7). */
export const REGISTRY_STATUS_OF_KIND: Readonly<Record<RegistryErrorKind, number>> = {
  unauthorized: 401,
  not_found: 404,
  invalid: 422,
  conflict: 409,
  forbidden: 403,
  too_large: 413,
  unavailable: 503,
  internal: 500,
};
