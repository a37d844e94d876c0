/** Denials of logins and renewals in words. Said only after the proof was verified, so they may say why (ERROR-3). */
import type { AuthErrorCode } from './error-codes.js';
import { AuthError } from './errors.js';

const TEXTS = {
  instance_not_found: 'the provider knows no such instance',
  instance_not_running: 'the instance is not running',
  instance_account_mismatch: 'the instance is not in the account that was proven',
  instance_region_mismatch: 'the instance is not in the region that was asked about',
  bound_region_mismatch: 'the region is not one that the role allows',
  bound_ec2_instance_id_mismatch: 'the instance is not one that the role allows',
  bound_account_id_mismatch: 'the account is not one that the role allows',
  bound_ami_id_mismatch: 'the image is not one that the role allows',
  bound_subnet_id_mismatch: 'the subnet is not one that the role allows',
  bound_vpc_id_mismatch: 'the network is not one that the role allows',
  bound_iam_instance_profile_arn_mismatch: 'the instance profile is not one that the role allows',
  bound_iam_role_arn_mismatch: 'the role of the instance is not one that the role allows',
  bound_iam_principal_arn_mismatch: 'the principal is not one that the role allows',
  principal_not_found: 'the provider knows no such principal',
  principal_mismatch: 'the principal of that name is another one',
  inferred_entity_invalid: 'the session is not named after an instance',
  inferred_profile_missing: 'the instance has no instance profile',
  inferred_profile_mismatch: 'the profile of the instance does not hold the role of the caller',
  inferred_profile_unchecked: 'the profile of the instance could not be checked, and the role asks for that',
  inferred_profile_unknown:
    'the profile of the instance could not be looked up, and its name is not that of the role; permit the server iam:GetInstanceProfile',
  document_older: 'the identity document is older than the one last seen of this instance',
  document_too_old: 'the identity document is older than the role allows',
  pending_time_invalid: 'the time of the identity document cannot be read',
  nonce_mismatch: 'the client nonce does not match the one of the first login',
  nonce_too_long: 'the client nonce is longer than 128 bytes',
  reauthentication_disabled:
    'reauthentication is disabled for this instance; delete its access-list entry to let it log in again',
  role_tag_missing: 'the instance does not carry the tag that the role asks for',
  role_tag_invalid: 'the role tag is not valid',
  role_tag_role_mismatch: 'the role tag is of another role',
  role_tag_instance_mismatch: 'the role tag is of another instance',
  role_tag_deny_listed: 'the role tag is on the deny list',
  role_tag_policy_not_in_role: 'the role tag names a policy that the role does not have',
  access_list_entry_missing: 'the instance is no longer on the access list',
  policy_not_grantable: 'the role names a policy that no login can grant',
  token_not_renewable: 'the token is not renewable',
  token_lifetime_exhausted: 'the token has reached the end of its maximum lifetime',
  role_not_found: 'the role of this token no longer exists; log in again',
} as const satisfies Partial<Record<AuthErrorCode, string>>;

export type RefusalCode = keyof typeof TEXTS;

export function refuse(code: RefusalCode): AuthError {
  return new AuthError(code, TEXTS[code]);
}
