/** All pairs of constraint and kind of role (ROLE-4, ROLE-5, ROLE-15). */
import { describe, expect, it } from 'vitest';
import { decideRoleWrite } from './decide-role-write.js';
import type { RoleFields } from './role-fields.js';

const identity = { name: 'r', roleId: 'id', hmacKey: 'key' };
const limits = { maxTtlSeconds: 1000 };
const arn = 'arn:aws:iam::111111111111:role/*';

const kinds = {
  ec2: { auth_type: 'ec2' },
  iam: { auth_type: 'iam' },
  'iam, the default': {},
  'iam, inferring': { inferred_entity_type: 'ec2_instance', inferred_aws_region: 'r' },
} as const satisfies Record<string, RoleFields>;

const yes = 'stored';
const no = 'role_constraint_not_applicable';

/** Columns: ec2, iam, iam without saying so, iam with inference. */
const table: readonly (readonly [keyof RoleFields, string, readonly [string, string, string, string]])[] = [
  ['bound_account_id', '1', [yes, no, no, yes]],
  ['bound_region', 'r', [yes, no, no, yes]],
  ['bound_ami_id', 'ami', [yes, no, no, yes]],
  ['bound_iam_instance_profile_arn', arn, [yes, no, no, yes]],
  ['bound_ec2_instance_id', 'i-1', [yes, no, no, yes]],
  ['bound_iam_role_arn', arn, [yes, no, no, yes]],
  ['bound_iam_principal_arn', arn, [no, yes, yes, yes]],
  ['bound_vpc_id', 'vpc', [yes, no, no, yes]],
  ['bound_subnet_id', 'subnet', [yes, no, no, yes]],
];

const outcome = (fields: RoleFields): string => {
  const decision = decideRoleWrite(undefined, fields, identity, limits);
  return decision.allow ? yes : decision.code;
};

const rows = table.flatMap(([field, value, verdicts]) =>
  Object.entries(kinds).map(([kind, base], at) => ({ field, value, kind, base, verdict: verdicts[at] ?? '' })),
);

describe('a constraint', () => {
  it.each(rows)('$field alone in a role of $kind: $verdict', ({ field, value, base, verdict }) => {
    expect(outcome({ ...base, [field]: [value] })).toBe(verdict);
  });

  it.each(rows)('$field beside one that counts, in a role of $kind: $verdict', ({ field, value, base, verdict }) => {
    const counts = 'auth_type' in base && base.auth_type === 'ec2' ? 'bound_ami_id' : 'bound_iam_principal_arn';
    expect(outcome({ ...base, [counts]: [arn], [field]: [value] })).toBe(verdict);
  });

  it.each(rows)('$field sent empty in a role of $kind constrains nothing', ({ field, base }) => {
    expect(outcome({ ...base, [field]: [] })).toBe('role_constraint_missing');
  });

  it.each(table)('is named where it does not belong: %s', (field, value, [, plain]) => {
    if (plain !== no) return;
    const decision = decideRoleWrite(undefined, { [field]: [value] }, identity, limits);
    expect(decision.allow ? undefined : decision.details).toEqual({ field });
  });

  it('that is the first of several is the one named, in a fixed order', () => {
    const fields = Object.fromEntries([...table].reverse().map(([field, value]) => [field, [value]]));
    const decision = decideRoleWrite(undefined, { ...fields, bound_iam_principal_arn: [] }, identity, limits);
    expect(decision.allow ? undefined : decision.details).toEqual({ field: 'bound_account_id' });
  });
});

/** Options heed: ec2, iam, iam without saying so, iam with inference. */
const options: readonly (readonly [RoleFields, readonly [string, string, string, string]])[] = [
  [{ disallow_reauthentication: true }, [yes, 'no', 'no', 'no']],
  [{ allow_instance_migration: true }, [yes, 'no', 'no', 'no']],
  [{ role_tag: 'k' }, [yes, 'no', 'no', 'no']],
  [{ max_document_age: 60 }, [yes, 'no', 'no', 'no']],
  [{ require_inferred_profile: true }, ['no', 'no', 'no', yes]],
  [{ disallow_reauthentication: false }, [yes, yes, yes, yes]],
  [{ allow_instance_migration: false }, [yes, yes, yes, yes]],
  [{ role_tag: '' }, [yes, yes, yes, yes]],
  [{ max_document_age: 0 }, [yes, yes, yes, yes]],
  [{ require_inferred_profile: false }, [yes, yes, yes, yes]],
];

describe('an option', () => {
  it.each(
    options.flatMap(([option, verdicts]) =>
      Object.entries(kinds).map(([kind, base], at) => ({ option, kind, base, verdict: verdicts[at] ?? '' })),
    ),
  )('$option in a role of $kind: $verdict (ROLE-6)', ({ option, base, verdict }) => {
    const counts = 'auth_type' in base && base.auth_type === 'ec2' ? 'bound_ami_id' : 'bound_iam_principal_arn';
    expect(outcome({ ...base, [counts]: [arn], ...option })).toBe(verdict === yes ? yes : 'role_option_not_applicable');
  });

  it('that a role cannot heed any more is refused when the role changes under it', () => {
    const made = decideRoleWrite(
      undefined,
      { ...kinds['iam, inferring'], bound_iam_principal_arn: [arn], require_inferred_profile: true },
      identity,
      limits,
    );
    if (!made.allow) throw new TypeError('the role should have been made');
    const update = decideRoleWrite(made.role, { inferred_entity_type: '', inferred_aws_region: '' }, identity, limits);
    expect(update).toMatchObject({ allow: false, code: 'role_option_not_applicable' });
  });
});
