/**
 * Every code that an answer or an audit event of the auth method may carry, with its kind (ERROR-2, ERROR-1).
 * Codes are stable: clients and dashboards match on them. Adapters turn kinds into their transport's statuses.
 */

/**
 * `invalid`: the caller's fault, fix the request. `denied`: a login or renewal was checked and refused.
 * `forbidden`: no permission. `not_found`: nothing there. `unavailable`: could not check, try again.
 * `misconfigured`: an operator must act. `too_large`: over a size limit. `internal`: a defect of this package.
 */
export type ErrorKind =
  | 'invalid'
  | 'denied'
  | 'forbidden'
  | 'not_found'
  | 'unavailable'
  | 'misconfigured'
  | 'too_large'
  | 'internal';

export const ERROR_KINDS = {
  // Requests
  body_invalid: 'invalid',
  body_too_large: 'too_large',
  field_invalid: 'invalid',
  field_missing: 'invalid',
  unknown_fields: 'invalid',
  not_found: 'not_found',
  permission_denied: 'forbidden',

  // Roles (ROLE-1, ROLE-4, ROLE-5, ROLE-9, ROLE-10)
  role_auth_type_immutable: 'invalid',
  role_auth_type_invalid: 'invalid',
  role_constraint_missing: 'invalid',
  role_constraint_not_applicable: 'invalid',
  role_inferred_region_missing: 'invalid',
  role_inferred_region_unexpected: 'invalid',
  role_inferred_type_invalid: 'invalid',
  role_option_not_applicable: 'invalid',
  role_options_exclusive: 'invalid',
  role_tag_key_too_long: 'invalid',
  role_resolve_immutable: 'invalid',
  role_token_parameters_invalid: 'invalid',
  arn_pattern_invalid: 'invalid',
  principal_arn_invalid: 'invalid',
  principal_arn_unmatchable: 'invalid',
  principal_unresolvable: 'invalid',

  // Role tags at creation (TAG-2, TAG-5)
  role_tag_not_enabled: 'invalid',
  tag_policies_not_subset: 'invalid',
  tag_policy_name_invalid: 'invalid',
  tag_migration_not_allowed: 'invalid',
  tag_options_exclusive: 'invalid',
  tag_max_ttl_exceeds: 'invalid',
  tag_too_long: 'invalid',

  // Configuration (CONFIG-1, ALIAS-2, ALIAS-3, CERT-1, ASSOC-1, TIDY-1)
  certificate_missing: 'invalid',
  certificate_invalid: 'invalid',
  certificate_type_invalid: 'invalid',
  endpoint_invalid: 'invalid',
  alias_invalid: 'invalid',
  metadata_invalid: 'invalid',

  // Rotation of the root key (ROTATE-1)
  rotation_not_enabled: 'invalid',
  rotation_static_key_missing: 'invalid',
  rotation_in_progress: 'invalid',
  rotation_key_limit: 'invalid',
  rotation_superseded: 'invalid',

  // Login (LOGIN-1)
  login_fields_missing: 'invalid',
  login_fields_ambiguous: 'invalid',
  auth_type_not_enabled: 'denied',
  evidence_unverified: 'denied',
  caller_identity_refused: 'denied',
  role_not_found: 'denied',
  role_narrowed: 'denied',
  role_auth_type_mismatch: 'denied',
  peer_address_not_allowed: 'forbidden',
  account_not_allowed: 'denied',
  instance_not_found: 'denied',
  instance_not_running: 'denied',
  instance_account_mismatch: 'denied',
  instance_region_mismatch: 'denied',
  bound_account_id_mismatch: 'denied',
  bound_ami_id_mismatch: 'denied',
  bound_region_mismatch: 'denied',
  bound_vpc_id_mismatch: 'denied',
  bound_subnet_id_mismatch: 'denied',
  bound_ec2_instance_id_mismatch: 'denied',
  bound_iam_instance_profile_arn_mismatch: 'denied',
  bound_iam_role_arn_mismatch: 'denied',
  bound_iam_principal_arn_mismatch: 'denied',
  principal_not_found: 'denied',
  principal_mismatch: 'denied',
  inferred_entity_invalid: 'denied',
  inferred_profile_missing: 'denied',
  inferred_profile_mismatch: 'denied',
  inferred_profile_unchecked: 'denied',
  inferred_profile_unknown: 'denied',
  document_older: 'denied',
  document_too_old: 'denied',
  pending_time_invalid: 'denied',
  nonce_mismatch: 'denied',
  nonce_too_long: 'denied',
  reauthentication_disabled: 'denied',
  role_tag_missing: 'denied',
  role_tag_invalid: 'denied',
  role_tag_role_mismatch: 'denied',
  role_tag_instance_mismatch: 'denied',
  role_tag_deny_listed: 'denied',
  role_tag_policy_not_in_role: 'denied',
  access_list_entry_missing: 'denied',
  policy_not_grantable: 'denied',

  // Policies (POLICY-4, POLICY-6, POLICY-8)
  policy_invalid: 'invalid',
  policy_fixed: 'invalid',

  // Tokens (LOGIN-6, TOKEN-1, TOKEN-2, TOKEN-4)
  batch_token_too_large: 'denied',
  child_token_not_allowed: 'invalid',
  child_policies_not_subset: 'invalid',
  child_option_not_allowed: 'invalid',
  batch_key_limit: 'invalid',
  sealing_not_configured: 'invalid',
  token_not_renewable: 'denied',
  token_not_revocable: 'invalid',
  token_lifetime_exhausted: 'denied',
  token_not_found: 'forbidden',

  // Could not find out
  provider_unavailable: 'unavailable',
  provider_denied: 'misconfigured',
  provider_misconfigured: 'misconfigured',
  replay_cache_full: 'unavailable',
  server_busy: 'unavailable',
  clock_skewed: 'unavailable',
  storage_unavailable: 'unavailable',
  storage_outcome_unknown: 'unavailable',
  storage_contended: 'unavailable',
  record_newer: 'unavailable',
  sealed_unreadable: 'misconfigured',
  key_wrapper_misconfigured: 'misconfigured',
  key_wrapper_unavailable: 'unavailable',
  audit_unavailable: 'unavailable',
  aborted: 'unavailable',
  internal: 'internal',
} as const satisfies Record<string, ErrorKind>;

export type AuthErrorCode = keyof typeof ERROR_KINDS;
