/** The fields of a role write by their wire names (ROLE-1, ROLE-16, FIELD-7, LOGIN-9). Types only: rules are in `role-rules.ts`. */
import * as z from 'zod';
import { durationField } from '../fields/duration-field.js';
import { booleanField, choiceField, described, integerField, listField, textField } from '../fields/fields.js';

/** What a read shows and a write passes over, so that a role that was read can be written again (FIELD-7). */
const readOnly = (description: string) => described(z.unknown(), `${description} Read-only: ignored on write.`);

export const roleFields = z.object({
  auth_type: described(textField, '`ec2` or `iam`; default `iam`. Cannot change.'),
  bound_account_id: described(listField, 'Account ids, one of which the proof must be of.'),
  bound_ami_id: described(listField, 'Image ids, one of which the instance must run.'),
  bound_region: described(listField, 'Regions, one of which the instance must be in.'),
  bound_vpc_id: described(listField, 'VPC ids, one of which the instance must be in.'),
  bound_subnet_id: described(listField, 'Subnet ids, one of which the instance must be in.'),
  bound_iam_role_arn: described(
    listField,
    "ARNs of which the instance profile's role must match one; a star may end one.",
  ),
  bound_iam_instance_profile_arn: described(
    listField,
    'ARNs of which the instance profile must match one; a star may end one.',
  ),
  bound_ec2_instance_id: described(listField, 'Instance ids, one of which the instance must have.'),
  bound_iam_principal_arn: described(
    listField,
    'ARNs of users and roles, one of which the caller must be; a star may end one.',
  ),
  bound_iam_principal_id: readOnly('Unique ids that the principals resolved to.'),
  inferred_entity_type: described(textField, '`ec2_instance` infers the instance from the session name; `iam` only.'),
  inferred_aws_region: described(textField, 'Region in which inferred instances are looked up.'),
  inferred_cloud_region: described(textField, 'Another name of `inferred_aws_region`.'),
  require_inferred_profile: described(
    choiceField,
    'Where the profile of an inferred instance cannot be looked up: `true` denies, `false` admits, null (default) compares its name.',
  ),
  resolve_cloud_unique_ids: described(booleanField, 'Bind to the unique ids of the principals; default true.'),
  role_tag: described(textField, 'Key of the instance tag that holds a role tag; empty for none; `ec2` only.'),
  allow_instance_migration: described(booleanField, 'A newer document needs no nonce; `ec2` only.'),
  disallow_reauthentication: described(booleanField, 'One token an instance; `ec2` only.'),
  max_document_age: described(durationField, 'Greatest age of an identity document; 0 for any; `ec2` only.'),
  token_ttl: described(durationField, 'Lifetime of tokens.'),
  token_max_ttl: described(durationField, 'Greatest lifetime of tokens, renewals included.'),
  token_explicit_max_ttl: described(durationField, 'Hard cap on the lifetime of tokens.'),
  token_period: described(durationField, 'Period of periodic tokens.'),
  token_policies: described(listField, 'Policies of tokens.'),
  token_no_default_policy: described(booleanField, 'Leave the policy `default` out.'),
  token_num_uses: described(integerField, 'How often a token may be used; 0 for any number.'),
  token_bound_cidrs: described(listField, 'Addresses and blocks from which tokens may be got and used.'),
  token_type: described(textField, '`service`, `batch` or `default`.'),
  ttl: described(durationField, 'Deprecated: `token_ttl`.'),
  max_ttl: described(durationField, 'Deprecated: `token_max_ttl`.'),
  period: described(durationField, 'Deprecated: `token_period`.'),
  policies: described(listField, 'Deprecated: `token_policies`.'),
  role_id: readOnly('Random id of the role.'),
});

/** Fields as parsed: only those that were sent are present. */
export type RoleFields = z.output<typeof roleFields>;
