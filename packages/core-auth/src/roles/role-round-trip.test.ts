/** Reading a role and writing it again changes nothing, whatever the role (FIELD-7). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFields } from '../fields/fields.js';
import { decideRoleWrite } from './decide-role-write.js';
import { type Role, roleSchema } from './role.js';
import { roleFields } from './role-fields.js';
import { roleToWire } from './role-view.js';

const identity = { name: 'r', roleId: 'id', hmacKey: 'the key of its tags' };
const limits = { maxTtlSeconds: 100_000 };

const texts = fc.oneof(
  fc.constantFrom<unknown>('', [], null, 'a', 'a,b', 5),
  fc.array(fc.stringMatching(/^[a-zA-Z0-9 ,._-]{1,8}$/), { maxLength: 3 }),
);
const arns = fc.constantFrom<unknown>('', 'arn:aws:iam::1:role/*', [
  'arn:aws:iam::1:user/p/U',
  'arn:aws:iam::1:role/R',
]);
const duration = fc.constantFrom<unknown>(0, 1, '60', '1h', '', null, '2d', '1500ms', 50);
const flag = fc.constantFrom<unknown>(true, false, '', '1', null);

const everything = fc.record({
  auth_type: fc.constantFrom('ec2', 'iam'),
  bound_account_id: texts,
  bound_ami_id: texts,
  bound_region: texts,
  bound_vpc_id: texts,
  bound_subnet_id: texts,
  bound_ec2_instance_id: texts,
  bound_iam_role_arn: arns,
  bound_iam_instance_profile_arn: arns,
  bound_iam_principal_arn: arns,
  inferred_entity_type: fc.constantFrom('', 'ec2_instance'),
  inferred_cloud_region: fc.constantFrom('', 'eu-west-1'),
  require_inferred_profile: flag,
  resolve_cloud_unique_ids: flag,
  role_tag: fc.constantFrom('', 'k'),
  allow_instance_migration: flag,
  disallow_reauthentication: flag,
  max_document_age: duration,
  token_ttl: duration,
  token_max_ttl: duration,
  token_explicit_max_ttl: duration,
  token_period: duration,
  token_policies: texts,
  token_no_default_policy: flag,
  token_num_uses: fc.constantFrom(0, 1, '7', ''),
  token_bound_cidrs: fc.constantFrom('', '10.1.2.3/8', ['::1', '10.0.0.1']),
  token_type: fc.constantFrom('', 'default', 'service', 'batch'),
  ttl: duration,
  max_ttl: duration,
  period: duration,
  policies: fc.oneof(texts, fc.constant('root,x')),
});

/** Up to four fields at a time; some bodies are refused, the others are what the property is about. */
const body = everything.chain((all) =>
  fc.subarray(Object.entries(all), { maxLength: 4 }).map((some) => Object.fromEntries(some)),
);

const first = fc.constantFrom(
  { auth_type: 'ec2', bound_ami_id: 'ami' },
  { auth_type: 'iam', bound_iam_principal_arn: ['arn:aws:iam::1:user/U', 'arn:aws:iam::1:role/*'] },
  { inferred_entity_type: 'ec2_instance', inferred_aws_region: 'eu-west-1', bound_vpc_id: 'v' },
);

/** Stored as the catalogue would: ids looked up where they have to be. */
function write(existing: Role | undefined, raw: Readonly<Record<string, unknown>>): Role | undefined {
  let fields: ReturnType<typeof parseFields<typeof roleFields>>['fields'];
  try {
    ({ fields } = parseFields(roleFields, raw));
  } catch {
    return undefined;
  }
  const decision = decideRoleWrite(existing, fields, identity, limits);
  if (!decision.allow) return undefined;
  const ids = decision.role.boundIamPrincipalArns.filter((arn) => !arn.endsWith('*')).map((arn) => `id of ${arn}`);
  const role = decision.resolve ? { ...decision.role, boundIamPrincipalIds: ids } : decision.role;
  return roleSchema.parse(JSON.parse(JSON.stringify(role)));
}

describe('a role', () => {
  it('that is read and written again is the same', () => {
    const kinds = new Set<string>();
    let changes = 0;
    fc.assert(
      fc.property(first, fc.array(body, { maxLength: 4 }), (base, bodies) => {
        let role = write(undefined, base);
        if (role === undefined) throw new TypeError('the role should have been made');
        for (const one of bodies) {
          const next = write(role, one);
          if (next !== undefined) changes += 1;
          role = next ?? role;
        }
        kinds.add(`${role.authType} ${role.inferredEntityType}`);
        const wire: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(roleToWire(role)));
        expect(write(role, wire)).toEqual(role);
        expect(JSON.stringify(wire)).not.toContain(identity.hmacKey);
      }),
      { numRuns: 400, seed: 1 },
    );
    expect(kinds).toEqual(new Set(['ec2 ', 'iam ', 'iam ec2_instance']));
    expect(changes).toBeGreaterThan(500);
  });

  it('that was read can be written under another name', () => {
    const role = write(undefined, { auth_type: 'ec2', bound_ami_id: 'a', policies: 'p', ttl: 60 });
    if (role === undefined) throw new TypeError('the role should have been made');
    const { fields, unknown } = parseFields(roleFields, roleToWire(role));
    const copy = decideRoleWrite(undefined, fields, { name: 's', roleId: 'other', hmacKey: 'other key' }, limits);
    expect(copy).toMatchObject({ allow: true, role: { ...role, name: 's', roleId: 'other', hmacKey: 'other key' } });
    expect(unknown).toEqual([]);
  });
});
